import fc from 'fast-check'

// The same cases at every run, so that a refusal of a change is about the change. `FC_SEED=random` looks for new ones.
const given = process.env['FC_SEED']
if (given !== 'random') fc.configureGlobal({ seed: Number(given ?? 20_261_116) })
