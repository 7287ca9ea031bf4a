/** The person whose store it is. */
export interface StoreOwner {
  readonly id: string
  /** Account and host where the store was first opened, for people. */
  readonly name: string
}
