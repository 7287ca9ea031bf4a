// bench: fits the models of recovery (names, files) on real transcripts, leaving one project out at a time, and prints their weights
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { benchArguments } from './arguments.ts'
import { moreCases, trainingCases } from './train-recovery/cases.ts'
import { USUAL_RIDGE } from './train-recovery/left-out.ts'
import { trainNames } from './train-recovery/names.ts'
import { trainPaths } from './train-recovery/paths.ts'

async function main(): Promise<number> {
  const { values } = benchArguments({
    options: {
      data: { type: 'string', default: '../shared/eval' },
      split: { type: 'string', default: 'open' },
      ridge: { type: 'string', default: String(USUAL_RIDGE) },
    },
  })
  const data = resolve(values.data)
  if (!existsSync(join(data, 'bench', 'run_nlr.py'))) {
    console.log(`No data in ${data}: pass --data DIR with a folder that holds bench/run_nlr.py and the split.`)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-train-'))
  try {
    const cases = await trainingCases(data, values.split, folder)
    const more = await moreCases(data, values.split, folder)
    const ridge = Number(values.ridge)
    const [names, paths] = [trainNames(cases, ridge), trainPaths({ cases, more }, ridge)]
    console.log(JSON.stringify({ name: names.model, path: paths.model }, undefined, 2))
    console.log(
      `train-recovery: ${cases.length} cut points, ${more.length} more for files; ${names.report}; ${paths.report}`,
    )
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main()
