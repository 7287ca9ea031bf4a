import { randomBytes } from 'node:crypto'
import type { Entropy } from '../core/ports.ts'

export const systemEntropy: Entropy = { bytes: (count) => new Uint8Array(randomBytes(count)) }
