import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { sha256 } from '../../platform/base/crypto.ts'
import { type BatchHeader, type HomeKeys, RefusedBatch, type Sealer, toHeaderText } from '../sealing.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** A batch has at most 500,000 characters, and one record may be larger. */
const MAX_CONTENT_BYTES = 64_000_000
const SIGNATURE_BYTES = 64
const SEALED = Buffer.from('HFS1')
const PLAIN = Buffer.from('HFP1')

export interface KeyTexts {
  /** PKCS #8, PEM. */
  readonly signing: string
  /** AGE-SECRET-KEY-1… */
  readonly age: string
}

export async function createKeyTexts(): Promise<KeyTexts> {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    age: await generateX25519Identity(),
  }
}

async function decryptWith(secrets: readonly string[], bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const decrypter = new Decrypter()
  for (const secret of secrets) decrypter.addIdentity(secret)
  try {
    return await decrypter.decrypt(bytes)
  } catch {
    // Encrypted to another key, or not a file of age.
    return undefined
  }
}

async function encrypt(bytes: Uint8Array, recipients: readonly string[]): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  for (const recipient of new Set(recipients)) encrypter.addRecipient(recipient)
  return encrypter.encrypt(bytes)
}

/** What is signed: the fields of the batch, how it is sealed, and the digest of its content. */
function toSignedText(header: BatchHeader, form: Uint8Array, content: Uint8Array): string {
  return `holdfast-batch/1\n${toHeaderText(header)}\n${Buffer.from(form).toString('latin1')}\n${sha256(content)}`
}

function isSigned(signKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(signKey, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
  } catch {
    // An invalid key has signed nothing.
    return false
  }
}

async function createHomeKeys({ signing, age }: KeyTexts): Promise<HomeKeys> {
  const key = createPrivateKey(signing)
  return {
    signKey: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
    recipient: await identityToRecipient(age),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
    open: (bytes) => decryptWith([age], bytes),
  }
}

/** Encryption by age (X25519, ChaCha20-Poly1305), signatures by Ed25519. */
export async function createSealing(texts: KeyTexts): Promise<Sealer> {
  const keys = await createHomeKeys(texts)
  return {
    keys,
    encrypt,
    isSigned,
    async createSpaceKey(number) {
      const secret = await generateX25519Identity()
      const recipient = await identityToRecipient(secret)
      return { id: sha256(recipient).slice(0, 16), number, recipient, secret }
    },
    async seal(header, content, key) {
      const packed = await compress(Buffer.from(content))
      const form = key === undefined ? PLAIN : SEALED
      const body = key === undefined ? packed : await encrypt(packed, [key.recipient])
      const signature = Buffer.from(keys.sign(toSignedText(header, form, body)), 'base64')
      return { ...header, bytes: new Uint8Array(Buffer.concat([form, signature, body])) }
    },
    async open({ bytes, ...header }, signKey, spaceKeys) {
      const form = Buffer.from(bytes.subarray(0, SEALED.length))
      const signature = bytes.subarray(form.length, form.length + SIGNATURE_BYTES)
      const body = bytes.subarray(form.length + SIGNATURE_BYTES)
      const isPlain = form.equals(PLAIN)
      if (!isPlain && !form.equals(SEALED)) throw new RefusedBatch('damaged')
      if (!isSigned(signKey, toSignedText(header, form, body), Buffer.from(signature).toString('base64')))
        throw new RefusedBatch('signature')
      const secrets = spaceKeys.map(({ secret }) => secret)
      const packed = isPlain ? body : secrets.length === 0 ? undefined : await decryptWith(secrets, body)
      if (packed === undefined) throw new RefusedBatch('key')
      try {
        return (await decompress(packed, { maxOutputLength: MAX_CONTENT_BYTES })).toString('utf8')
      } catch {
        throw new RefusedBatch('damaged')
      }
    },
  }
}
