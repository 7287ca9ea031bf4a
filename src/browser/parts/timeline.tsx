import { useEffect, useRef, useState } from 'preact/hooks'
import { LANES, type LaneName, type PointRow } from '../data/contract.ts'
import { formatClock, formatExact } from './format.ts'
import { toOneLine } from './inert-text.ts'

const DAY_MS = 86_400_000
const LANE_HEIGHT = 30
const LEFT = 92
const MINIMAP_HEIGHT = 26
const AXIS_HEIGHT = 20
const HEIGHT = LANES.length * LANE_HEIGHT + AXIS_HEIGHT + MINIMAP_HEIGHT + 8
const COLORS: Readonly<Record<LaneName, string>> = {
  prompt: '--accent',
  tool: '--info',
  subagent: '--violet',
  compaction: '--warn',
  checkpoint: '--good',
  session: '--quiet',
}

export const LANE_LABELS: Readonly<Record<LaneName, string>> = {
  prompt: 'Prompts',
  tool: 'Tools',
  subagent: 'Subagents',
  compaction: 'Compactions',
  checkpoint: 'Checkpoints',
  session: 'Session',
}

interface Mark {
  readonly point: PointRow
  readonly from: number
  readonly to: number
}

/** Sorted by start, so that the marks in view are found by bisection. */
function toMarks(points: readonly PointRow[]): readonly Mark[] {
  return points
    .map((point) => {
      const to = Date.parse(point.at)
      return { point, from: to - (point.durationMs ?? 0), to }
    })
    .toSorted((a, b) => a.from - b.from)
}

function findFirst(marks: readonly Mark[], time: number): number {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((marks[middle]?.from ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** The clock, and before it the day where the view is longer than one. */
function formatMoment(time: number, span: number): string {
  const date = new Date(time)
  if (span < DAY_MS) return formatClock(date.toISOString())
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  return `${day} ${date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`
}

/** Draws and moves one timeline; no state of it is in the components, so that panning renders nothing else. */
class TimelineDrawing {
  private readonly marks: readonly Mark[]
  private bars: HTMLCanvasElement | undefined
  private readonly start: number
  private readonly end: number
  private readonly longest: number
  private from: number
  private to: number
  private frame = 0
  private width = 0
  private readonly colors: Readonly<Record<string, string>>

  constructor(
    private readonly canvas: HTMLCanvasElement,
    points: readonly PointRow[],
    private readonly selected: number | undefined,
    view: readonly [number, number] | undefined,
  ) {
    this.marks = toMarks(points)
    this.start = this.marks[0]?.from ?? 0
    this.end = Math.max(
      this.start + 1_000,
      this.marks.reduce((latest, { to }) => Math.max(latest, to), 0),
    )
    this.longest = this.marks.reduce((longest, { from, to }) => Math.max(longest, to - from), 0)
    const margin = (this.end - this.start) * 0.02
    this.from = view?.[0] ?? this.start - margin
    this.to = view?.[1] ?? this.end + margin
    const style = getComputedStyle(document.documentElement)
    const names = ['--text', '--quiet', '--line', '--bad', '--raised', '--panel', ...Object.values(COLORS)]
    this.colors = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name).trim()]))
    this.resize()
  }

  /** Undefined while everything is shown: what happens later is then shown too. */
  view(): readonly [number, number] | undefined {
    return this.from <= this.start && this.to >= this.end ? undefined : [this.from, this.to]
  }

  resize(): void {
    const ratio = devicePixelRatio
    this.width = this.canvas.clientWidth
    this.bars = undefined
    this.canvas.width = Math.round(this.width * ratio)
    this.canvas.height = Math.round(HEIGHT * ratio)
    this.canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, 0, 0)
    this.schedule()
  }

  pan(pixels: number): void {
    const step = (pixels * (this.to - this.from)) / (this.width - LEFT)
    this.show(this.from + step, this.to + step)
  }

  /** Zooms around the pixel `x`. */
  zoom(factor: number, x = LEFT + (this.width - LEFT) / 2): void {
    const at = this.toTime(x)
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor)
  }

  showAll(): void {
    this.show(this.start, this.end)
  }

  isMinimap(y: number): boolean {
    return y > HEIGHT - MINIMAP_HEIGHT
  }

  /** Centres the view on a pixel of the minimap. */
  jump(x: number): void {
    const at = this.start + ((x - LEFT) / (this.width - LEFT)) * (this.end - this.start)
    const half = (this.to - this.from) / 2
    this.show(at - half, at + half)
  }

  find(x: number, y: number): PointRow | undefined {
    const lane = LANES[Math.floor(y / LANE_HEIGHT)]
    const near = this.marks.filter(({ point }) => point.lane === lane)
    const distance = ({ from, to }: Mark) => {
      const [left, right] = [this.toX(from), this.toX(to)]
      return x < left ? left - x : x > right ? x - right : 0
    }
    const best = near.reduce<Mark | undefined>(
      (closest, mark) => (closest === undefined || distance(mark) < distance(closest) ? mark : closest),
      undefined,
    )
    return best !== undefined && distance(best) < 9 ? best.point : undefined
  }

  stop(): void {
    cancelAnimationFrame(this.frame)
  }

  private show(from: number, to: number): void {
    const width = Math.max(200, Math.min(to - from, (this.end - this.start) * 1.1))
    const middle = Math.min(Math.max((from + to) / 2, this.start), this.end)
    this.from = middle - width / 2
    this.to = middle + width / 2
    this.schedule()
  }

  private schedule(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0
      this.draw()
    })
  }

  private toX(time: number): number {
    return LEFT + ((time - this.from) / (this.to - this.from)) * (this.width - LEFT)
  }

  private toTime(x: number): number {
    return this.from + ((x - LEFT) / (this.width - LEFT)) * (this.to - this.from)
  }

  private color(name: string): string {
    return this.colors[name] ?? '#888'
  }

  private draw(): void {
    const context = this.canvas.getContext('2d')
    if (context === null) return
    context.clearRect(0, 0, this.width, HEIGHT)
    context.font = '12px system-ui, sans-serif'
    context.textBaseline = 'middle'
    this.drawAxis(context)
    context.save()
    context.beginPath()
    context.rect(LEFT, 0, this.width - LEFT, LANES.length * LANE_HEIGHT)
    context.clip()
    this.drawMarks(context)
    context.restore()
    LANES.forEach((lane, at) => {
      context.fillStyle = this.color('--quiet')
      context.fillText(LANE_LABELS[lane], 4, at * LANE_HEIGHT + LANE_HEIGHT / 2)
    })
    this.drawMinimap(context)
  }

  private drawAxis(context: CanvasRenderingContext2D): void {
    const bottom = LANES.length * LANE_HEIGHT
    context.fillStyle = this.color('--line')
    for (let lane = 1; lane <= LANES.length; lane += 1) context.fillRect(0, lane * LANE_HEIGHT, this.width, 1)
    const count = Math.max(2, Math.floor((this.width - LEFT) / 130))
    for (let tick = 0; tick < count; tick += 1) {
      const time = this.from + ((tick + 0.5) * (this.to - this.from)) / count
      const x = this.toX(time)
      context.fillStyle = this.color('--line')
      context.fillRect(x, 0, 1, bottom)
      context.fillStyle = this.color('--quiet')
      const text = formatMoment(time, this.to - this.from)
      context.fillText(text, x - context.measureText(text).width / 2, bottom + AXIS_HEIGHT / 2 + 1)
    }
  }

  private drawMarks(context: CanvasRenderingContext2D): void {
    // Marks closer than a pixel in one lane look like one: drawn once.
    const lastX = new Map<string, number>()
    for (let at = findFirst(this.marks, this.from - this.longest); at < this.marks.length; at += 1) {
      const mark = this.marks[at]
      if (mark === undefined || mark.from > this.to) break
      const { point, from, to } = mark
      const lane = LANES.indexOf(point.lane)
      const x = this.toX(from)
      const width = Math.max(4, this.toX(to) - x)
      const isFailed = point.ok === false
      const isSelected = point.seq === this.selected
      const key = `${lane} ${isFailed}`
      if (!isSelected && width <= 4 && x - (lastX.get(key) ?? -9) < 1) continue
      lastX.set(key, x)
      context.fillStyle = this.color(isFailed ? '--bad' : COLORS[point.lane])
      const top = lane * LANE_HEIGHT + 7
      context.fillRect(x, top, width, LANE_HEIGHT - 14)
      if (!isSelected) continue
      context.strokeStyle = this.color('--text')
      context.lineWidth = 2
      context.strokeRect(x - 3, top - 3, width + 6, LANE_HEIGHT - 8)
    }
  }

  /** Bars of all marks; drawn once for a size and a theme, because it counts every mark. */
  private drawBars(width: number): HTMLCanvasElement {
    const bars = document.createElement('canvas')
    const ratio = devicePixelRatio
    bars.width = Math.max(1, Math.round(width * ratio))
    bars.height = Math.round(MINIMAP_HEIGHT * ratio)
    const context = bars.getContext('2d')
    if (context === null) return bars
    context.scale(ratio, ratio)
    const counts = new Uint16Array(Math.max(1, Math.floor(width / 3)))
    for (const { to } of this.marks) {
      const slot = Math.min(
        counts.length - 1,
        Math.floor(((to - this.start) / (this.end - this.start)) * counts.length),
      )
      counts[slot] = (counts[slot] ?? 0) + 1
    }
    const highest = counts.reduce((most, count) => Math.max(most, count), 1)
    context.fillStyle = this.color('--raised')
    context.fillRect(0, 0, width, MINIMAP_HEIGHT)
    context.fillStyle = this.color('--quiet')
    counts.forEach((count, slot) => {
      const height = Math.max(1, (count / highest) * (MINIMAP_HEIGHT - 4))
      if (count > 0) context.fillRect(slot * 3, MINIMAP_HEIGHT - height, 2, height)
    })
    return bars
  }

  private drawMinimap(context: CanvasRenderingContext2D): void {
    const top = HEIGHT - MINIMAP_HEIGHT
    const width = this.width - LEFT
    this.bars ??= this.drawBars(width)
    context.drawImage(this.bars, LEFT, top, width, MINIMAP_HEIGHT)
    const toMini = (time: number) => LEFT + ((time - this.start) / (this.end - this.start)) * width
    const left = Math.max(LEFT, toMini(this.from))
    context.strokeStyle = this.color('--accent')
    context.lineWidth = 2
    context.strokeRect(
      left + 1,
      top + 1,
      Math.max(4, Math.min(this.width, toMini(this.to)) - left - 2),
      MINIMAP_HEIGHT - 2,
    )
    context.fillStyle = this.color('--quiet')
    context.fillText('All of it', 4, top + MINIMAP_HEIGHT / 2)
  }
}

interface TimelineProps {
  readonly points: readonly PointRow[]
  readonly selected: number | undefined
  readonly onSelect: (point: PointRow) => void
}

/** Drag or arrow keys pan, the wheel with Ctrl or + and - zoom, 0 shows everything; a click selects. The list below has the same points. */
export function Timeline({ points, selected, onSelect }: TimelineProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawing = useRef<TimelineDrawing | undefined>(undefined)
  const [pointed, setPointed] = useState<PointRow | undefined>()
  useEffect(() => {
    if (canvas.current === null) return
    const made = new TimelineDrawing(canvas.current, points, selected, drawing.current?.view())
    drawing.current = made
    const observer = new ResizeObserver(() => made.resize())
    observer.observe(canvas.current)
    const theme = matchMedia('(prefers-color-scheme: dark)')
    const element = canvas.current
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return
      event.preventDefault()
      if (event.ctrlKey) made.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, event.offsetX)
      else made.pan(event.deltaX)
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    const redraw = () => made.resize()
    theme.addEventListener('change', redraw)
    return () => {
      made.stop()
      observer.disconnect()
      element.removeEventListener('wheel', onWheel)
      theme.removeEventListener('change', redraw)
    }
  }, [points, selected])
  const drag = useRef<{ x: number; isMoved: boolean; isMinimap: boolean } | undefined>(undefined)
  const onKey = (event: KeyboardEvent) => {
    const { current } = drawing
    if (event.key === 'ArrowLeft') current?.pan(-80)
    else if (event.key === 'ArrowRight') current?.pan(80)
    else if (event.key === '+') current?.zoom(1 / 1.4)
    else if (event.key === '-') current?.zoom(1.4)
    else if (event.key === '0') current?.showAll()
    else return
    event.preventDefault()
  }
  return (
    <div class="timeline">
      <div class="timeline-actions">
        <button type="button" class="small" onClick={() => drawing.current?.zoom(1 / 1.6)}>
          Zoom in
        </button>
        <button type="button" class="small" onClick={() => drawing.current?.zoom(1.6)}>
          Zoom out
        </button>
        <button type="button" class="small" onClick={() => drawing.current?.showAll()}>
          Show all
        </button>
      </div>
      <canvas
        ref={canvas}
        class="timeline-canvas"
        role="application"
        tabIndex={0}
        aria-label="Timeline. Arrow keys pan, plus and minus zoom, 0 shows everything. The list below holds the same events."
        onKeyDown={onKey}
        onPointerDown={(event) => {
          const isMinimap = drawing.current?.isMinimap(event.offsetY) === true
          drag.current = { x: event.offsetX, isMoved: false, isMinimap }
          event.currentTarget.setPointerCapture(event.pointerId)
          if (isMinimap) drawing.current?.jump(event.offsetX)
        }}
        onPointerMove={(event) => {
          const { current } = drag
          if (current === undefined) return setPointed(drawing.current?.find(event.offsetX, event.offsetY))
          if (current.isMinimap) return drawing.current?.jump(event.offsetX)
          if (Math.abs(event.offsetX - current.x) > 2) current.isMoved = true
          if (current.isMoved) {
            drawing.current?.pan(current.x - event.offsetX)
            current.x = event.offsetX
          }
        }}
        onPointerUp={(event) => {
          const { current } = drag
          drag.current = undefined
          if (current === undefined || current.isMoved || current.isMinimap) return
          const point = drawing.current?.find(event.offsetX, event.offsetY)
          if (point !== undefined) onSelect(point)
        }}
        onPointerLeave={() => setPointed(undefined)}
      />
      <p class="timeline-readout quiet-text" aria-hidden="true">
        {pointed === undefined ? (
          'Drag to move, Ctrl and the wheel to zoom; point at a mark to read it, click to open it.'
        ) : (
          <>
            <strong>{formatExact(pointed.at)}</strong> {toOneLine(pointed.label, 160)}
          </>
        )}
      </p>
    </div>
  )
}
