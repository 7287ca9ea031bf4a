import { afterAll, beforeAll } from 'vitest'
import { PATIENT, Product } from './product.ts'

/** Two machines of one person, each with a home of its own, connected for all tests of a file. */
export function connectTwoMachines(): { readonly desk: Product; readonly laptop: Product } {
  const [desk, laptop] = [new Product(PATIENT), new Product(PATIENT)]
  beforeAll(async () => {
    await desk.connect()
    await laptop.connect()
  })
  afterAll(async () => {
    await desk[Symbol.asyncDispose]()
    await laptop[Symbol.asyncDispose]()
  })
  return { desk, laptop }
}
