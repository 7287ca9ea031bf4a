/** Rules as users say them, by kind: what is said (part of a longer message), and the words of it that bind. */
export const PLANTED_RULES: Readonly<Record<string, readonly { readonly said: string; readonly rule: string }[]>> = {
  'do not': [
    {
      said: "Add a retry to the uploader. Don't touch src/legacy, it is frozen.",
      rule: "Don't touch src/legacy, it is frozen.",
    },
    {
      said: 'looks good so far\n\nplease do not run the full test suite, it takes 40 minutes',
      rule: 'please do not run the full test suite, it takes 40 minutes',
    },
    {
      said: 'dont commit anything in this repo, I do that myself. Now look at the failing parser test.',
      rule: 'dont commit anything in this repo, I do that myself.',
    },
    {
      said: "- fix the flaky test\n- don't mock the database in integration tests\n- update the changelog",
      rule: "don't mock the database in integration tests",
    },
    {
      said: 'Do NOT edit generated files under gen/. They come from the proto files.',
      rule: 'Do NOT edit generated files under gen/.',
    },
  ],
  never: [
    { said: 'Never push to main. What is the state of the branch?', rule: 'Never push to main.' },
    { said: 'ok and never use `any` in this codebase', rule: 'ok and never use `any` in this codebase' },
    { said: 'We never force-push shared branches. Rebase yours now.', rule: 'We never force-push shared branches.' },
    {
      said: 'You should never log access tokens, not even in debug mode.',
      rule: 'You should never log access tokens, not even in debug mode.',
    },
    {
      said: 'Test fixtures must never contain real customer names.',
      rule: 'Test fixtures must never contain real customer names.',
    },
  ],
  always: [
    { said: 'Always run `npm run lint` before you commit.', rule: 'Always run `npm run lint` before you commit.' },
    {
      said: 'From now on, answer in English even if I write German.',
      rule: 'From now on, answer in English even if I write German.',
    },
    {
      said: 'Whenever you add an endpoint, add it to openapi.yaml too.',
      rule: 'Whenever you add an endpoint, add it to openapi.yaml too.',
    },
    { said: 'Before every commit, run the type checker.', rule: 'Before every commit, run the type checker.' },
    { said: 'please always write the test first', rule: 'please always write the test first' },
  ],
  only: [
    {
      said: 'Only edit files under packages/api, the others belong to another team.',
      rule: 'Only edit files under packages/api, the others belong to another team.',
    },
    { said: 'commit only when I ask you to', rule: 'commit only when I ask you to' },
    { said: 'Use tabs only.', rule: 'Use tabs only.' },
    { said: 'You may only change the docs in this branch.', rule: 'You may only change the docs in this branch.' },
    { said: 'Stick to the standard library here.', rule: 'Stick to the standard library here.' },
  ],
  without: [
    {
      said: 'Refactor the scheduler without changing its public API.',
      rule: 'Refactor the scheduler without changing its public API.',
    },
    {
      said: 'Speed up the import without adding any dependency.',
      rule: 'Speed up the import without adding any dependency.',
    },
    {
      said: 'Fix the date bug without touching the migration files please.',
      rule: 'Fix the date bug without touching the migration files please.',
    },
    {
      said: 'get the tests green without skipping any of them',
      rule: 'get the tests green without skipping any of them',
    },
    {
      said: 'Split this class, without breaking the plugin interface.',
      rule: 'Split this class, without breaking the plugin interface.',
    },
  ],
  'instead of': [
    { said: 'Use fetch instead of axios.', rule: 'Use fetch instead of axios.' },
    { said: 'use pnpm, not npm', rule: 'use pnpm, not npm' },
    {
      said: 'Write new components as functions rather than classes.',
      rule: 'Write new components as functions rather than classes.',
    },
    {
      said: 'Instead of console.log, use the logger in src/log.ts.',
      rule: 'Instead of console.log, use the logger in src/log.ts.',
    },
    {
      said: 'put the helpers next to the feature and not in a shared folder',
      rule: 'put the helpers next to the feature and not in a shared folder',
    },
  ],
  must: [
    { said: 'All public functions must have a doc comment.', rule: 'All public functions must have a doc comment.' },
    {
      said: 'The CLI has to keep working on Node 18, so no new syntax in bin/.',
      rule: 'The CLI has to keep working on Node 18, so no new syntax in bin/.',
    },
    { said: 'Every migration must be reversible.', rule: 'Every migration must be reversible.' },
    {
      said: 'Signed commits are mandatory in this repository.',
      rule: 'Signed commits are mandatory in this repository.',
    },
    {
      said: 'error messages must not contain file paths of the user',
      rule: 'error messages must not contain file paths of the user',
    },
  ],
  'make sure': [
    { said: 'Make sure every new query has an index.', rule: 'Make sure every new query has an index.' },
    { said: 'make sure you never overwrite my .env file', rule: 'make sure you never overwrite my .env file' },
    { said: 'Ensure that all dates are stored in UTC.', rule: 'Ensure that all dates are stored in UTC.' },
    { said: 'Be careful not to change the wire format.', rule: 'Be careful not to change the wire format.' },
    {
      said: 'Remember to update the German translations whenever you change a string.',
      rule: 'Remember to update the German translations whenever you change a string.',
    },
  ],
  correction: [
    { said: 'No, use the existing HttpClient in src/net.', rule: 'No, use the existing HttpClient in src/net.' },
    { said: 'no, the config belongs in config/default.yaml', rule: 'no, the config belongs in config/default.yaml' },
    { said: 'I said no new dependencies!', rule: 'I said no new dependencies!' },
    { said: 'stop adding comments to every line', rule: 'stop adding comments to every line' },
    {
      said: 'Not camelCase but snake_case for the column names.',
      rule: 'Not camelCase but snake_case for the column names.',
    },
  ],
  preference: [
    { said: 'I prefer small commits, one per fix.', rule: 'I prefer small commits, one per fix.' },
    { said: 'We use conventional commits here.', rule: 'We use conventional commits here.' },
    { said: "I don't want any emojis in the docs.", rule: "I don't want any emojis in the docs." },
    { said: 'Ask me before you delete files.', rule: 'Ask me before you delete files.' },
    { said: 'No new dependencies.', rule: 'No new dependencies.' },
  ],
  'refused tool call': [
    { said: "No, don't run the deploy script from here.", rule: "No, don't run the deploy script from here." },
    { said: 'use the staging database for that', rule: 'use the staging database for that' },
    { said: 'never delete branches on the remote', rule: 'never delete branches on the remote' },
    { said: "I'll push myself, you only prepare the commits", rule: "I'll push myself, you only prepare the commits" },
    { said: 'keep the old file, other scripts still read it', rule: 'keep the old file, other scripts still read it' },
  ],
  'other languages': [
    { said: 'Bitte niemals direkt auf main pushen.', rule: 'Bitte niemals direkt auf main pushen.' },
    { said: 'Verwende pnpm statt npm.', rule: 'Verwende pnpm statt npm.' },
    { said: 'Ne modifie jamais les fichiers générés.', rule: 'Ne modifie jamais les fichiers générés.' },
    { said: 'Usa siempre comillas simples en TypeScript.', rule: 'Usa siempre comillas simples en TypeScript.' },
    { said: 'No toques la carpeta vendor, por favor.', rule: 'No toques la carpeta vendor, por favor.' },
  ],
}
