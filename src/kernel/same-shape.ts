type Plain = string | number | boolean | null | undefined

/** What a handler may answer and a client may read: the schema's type, with everything read-only. */
export type ReadonlyDeep<T> = T extends Plain
  ? T
  : T extends readonly (infer Item)[]
    ? readonly ReadonlyDeep<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
      : T

/** Every member required, and optional ones boxed: assignable both ways only between equal shapes. */
type Exact<T> = T extends Plain
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Exact<Item>[]
    : T extends object
      ? {
          readonly [Key in keyof T]-?: undefined extends T[Key]
            ? { readonly maybe: Exact<Exclude<T[Key], undefined>> }
            : Exact<T[Key]>
        }
      : T

/**
 * True only while a schema's output and a core type are the same shape, optional members included:
 * `true satisfies SameShape<z.output<typeof Schema>, CoreType>`.
 */
export type SameShape<A, B> = [Exact<A>] extends [Exact<B>] ? ([Exact<B>] extends [Exact<A>] ? true : false) : false
