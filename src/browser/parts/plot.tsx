import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatLocal } from './format.ts'

export interface PlotSeries {
  readonly label: string
  /** A colour of the style sheet: `--accent`. */
  readonly color: string
  readonly values: readonly (number | null)[]
  readonly look: 'line' | 'bars' | 'dots'
}

/** Counts, tokens and milliseconds are whole numbers. */
const STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S

const formatPointed = (value: number | null | undefined, formatValue: (value: number) => string): string =>
  value === null || value === undefined ? '–' : formatValue(value)

/** The day for a value of a whole day, which is plotted at its noon. */
const formatTime = (seconds: number): string => {
  const at = new Date(seconds * 1_000).toISOString()
  return seconds % DAY_S === DAY_S / 2 ? at.slice(0, 10) : formatLocal(at)
}

/** `29 Oct`, or `14:05` where the ticks are closer than a day. */
function formatTick(seconds: number, step: number): string {
  const date = new Date(seconds * 1_000)
  const isDay = step >= DAY_S || (date.getHours() === 0 && date.getMinutes() === 0)
  return isDay
    ? date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
    : date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

interface PlotProps {
  /** What the plot shows, for a reader who cannot see it. */
  readonly label: string
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly series: readonly PlotSeries[]
  readonly formatValue: (value: number) => string
  readonly height?: number
}

const readColor = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function toSeries({ label, color, look }: PlotSeries): uPlot.Series {
  const stroke = readColor(color)
  if (look === 'dots') return { label, stroke, paths: () => null, points: { show: true, size: 7, fill: stroke } }
  const bars = look === 'bars' ? uPlot.paths.bars?.({ size: [0.7, 40], radius: 0.12 }) : undefined
  if (bars !== undefined) return { label, paths: bars, width: 0, fill: stroke, points: { show: false } }
  return { label, stroke, width: 2, points: { show: false } }
}

/** A single moment gets an hour around it; bars need room beside the first and the last. */
function findRange(times: readonly number[], look: PlotSeries['look'] | undefined): [number, number] {
  const [min = 0, max = min] = [times[0], times.at(-1)]
  const margin = max > min ? (max - min) * 0.02 : HOUR_S / 2
  const beside = look === 'bars' ? Math.max(margin, 12 * HOUR_S) : margin
  return [min - beside, max + beside]
}

/** A plot over time; a table or a sentence beside it says the same in words. */
export function Plot({ label, times, series, formatValue, height = 190 }: PlotProps) {
  const root = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | undefined>()
  useEffect(() => {
    const element = root.current
    if (element === null) return
    const look = series[0]?.look
    const axis = {
      stroke: readColor('--quiet'),
      grid: { stroke: readColor('--line'), width: 1 },
      ticks: { show: false },
    }
    const options: uPlot.Options = {
      width: element.clientWidth,
      height,
      scales: {
        // Of the data itself: for a single moment, uPlot would pass a range of years.
        x: { range: () => findRange(times, look) },
        y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
      },
      axes: [
        { ...axis, size: 28, values: (_, ticks, __, ___, step) => ticks.map((tick) => formatTick(tick, step)) },
        { ...axis, size: 64, incrs: STEPS, values: (_, ticks) => ticks.map(formatValue) },
      ],
      series: [{}, ...series.map(toSeries)],
      cursor: { y: false },
      legend: { show: false },
      hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx ?? undefined)] },
    }
    // A bar of no height would be drawn as a line below the axis.
    const toDrawn = ({ values, look: its }: PlotSeries) =>
      values.map((value) => (its === 'bars' ? value || null : value))
    const plot = new uPlot(options, [[...times], ...series.map(toDrawn)], element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [JSON.stringify([times, series]), height])
  const time = pointed === undefined ? undefined : times[pointed]
  return (
    <>
      <p class="plot-legend" aria-hidden="true">
        {series.map(({ label: name, color, values }) => (
          <span key={name}>
            <svg width="10" height="10">
              <rect width="10" height="10" rx="2" style={{ fill: `var(${color})` }} />
            </svg>{' '}
            {name}
            {time !== undefined && <strong> {formatPointed(values[pointed ?? 0], formatValue)}</strong>}
          </span>
        ))}
        {time !== undefined && <span class="row-end">{formatTime(time)}</span>}
      </p>
      <div class="plot" ref={root} role="img" aria-label={label} />
    </>
  )
}
