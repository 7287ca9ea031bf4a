// Holdfast for OpenCode, straight from the package: name this file in the `plugin` list of opencode.json, as a file URL.
// `holdfast init --harness opencode` writes a file of its own instead, with the home and the Node it found.
export const Holdfast = async (context) => {
  try {
    const { holdfast } = await import('../../dist/opencode-plugin.js')
    return holdfast(context)
  } catch {
    return {}
  }
}
