declare const __HOLDFAST_VERSION__: string | undefined

/** Set by scripts/build.mjs from package.json; not set when running from source. */
export const VERSION: string = typeof __HOLDFAST_VERSION__ === 'string' ? __HOLDFAST_VERSION__ : '0.0.0-source'
