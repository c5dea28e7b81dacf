// The cost of an installation a month, computed from what was measured and from habits that are assumed: see growth.md.
import { urgentPoll_ms } from '../../web/layout/urgent-poll.ts'
import { workPrices } from '../../worker/domain/service/prices.ts'
import type { Figure } from './figures.ts'

/** US dollars, as Cloudflare's pages said in November 2026, and what the plan includes a month. */
const prices = {
  requests: { each: workPrices.requests, included: 10e6 },
  cpu_ms: { each: 0.02e-6, included: 30e6 },
  rows_read: { each: workPrices.rows_read, included: 25e9 },
  rows_written: { each: workPrices.rows_written, included: 50e6 },
  stored_gb: { each: 0.75, included: 5 },
  queue_operations: { each: 0.4e-6, included: 1e6 },
  backup_gb: { each: 0.015, included: 10 },
  backup_writes: { each: 4.5e-6, included: 1e6 },
} as const
const plan = 5
const mails = { each: 0.35e-3, included: 3_000 }

type Meter = keyof typeof prices
type Use = Partial<Record<Meter, number>>

/**
 * The use of one of each, as the meter of a request says, of an organization with 1,600 vulnerabilities of eight vendors and an inventory of
 * 500 components on a knowledge base of 40,000. CPU is assumed high: the whole time of such a request on the machine of the bench.
 */
export const measured = {
  /** The bell, with an ETag that is still right. */
  poll: { requests: 1, cpu_ms: 4, rows_read: 57 },
  /** How fresh the feeds are. */
  freshness: { requests: 1, cpu_ms: 4, rows_read: 42 },
  /** The mean of list, search, detail, home and what is sorted by risk. */
  screen: { requests: 4, cpu_ms: 40, rows_read: 3_600 },
  /** A status, and that it was looked at. */
  decision: { requests: 2, cpu_ms: 20, rows_read: 80, rows_written: 10 },
  sign_in: { requests: 4, cpu_ms: 250, rows_read: 130, rows_written: 20 },
  /** With two deliveries: their rows and index entries, and what sending them writes. */
  alert: { cpu_ms: 10, rows_read: 60, rows_written: 21, queue_operations: 6 },
  /** A bill of 500 components, sent and judged. */
  document: { requests: 1, cpu_ms: 600, rows_read: 134_000, rows_written: 13_400, queue_operations: 12 },
  /** The same bill with a component in a hundred changed since the day before, as builds send it. */
  resent: { requests: 1, cpu_ms: 170, rows_read: 26_000, rows_written: 104, queue_operations: 6 },
  backup: { cpu_ms: 50, rows_read: 10_000, backup_writes: 4 },
  /** A watchlist and an inventory take 0.5 MB, 400 days of alerts with their deliveries 1 MB, decisions and the log 0.5 MB. */
  kept: { stored_gb: 0.002, backup_gb: 0.006 },
} satisfies Record<string, Use>

/** Of the knowledge base in a month, however many organizations there are. */
const knowledge: Use = {
  // A day: 3,000 changed vulnerabilities of 24 rows, 20,000 EPSS values of 4.
  rows_written: 30 * (3_000 * 24 + 20_000 * 4),
  rows_read: 30 * 40e6,
  // An hour: all feeds asked, and what changed merged.
  cpu_ms: 30 * 24 * 6_000,
  requests: 30 * 1_440,
  queue_operations: 30 * 1_440 * 6,
  stored_gb: 1,
}

/**
 * The habits of an organization in a month: assumed, a mean over trials that nobody opens any more and desks that are open all day. To be set right
 * by the figures of an installation.
 */
const habits = {
  people: 3,
  days: 10,
  /** A tab is open for so many hours of such a day, and looked at in so many of them. */
  open_hours: 6,
  seen_hours: 1,
  screens: 30,
  decisions: 15,
  alerts: 150,
  mails: 60,
  documents: 1,
  resent: 30,
}

function countTimes({ people, days, open_hours, seen_hours, ...each }: typeof habits) {
  const turns = people * days
  const { seen, hidden } = urgentPoll_ms
  const polls = 3_600_000 * (seen_hours / seen + (open_hours - seen_hours) / hidden)
  return {
    poll: turns * polls,
    freshness: turns * seen_hours * 60,
    screen: turns * each.screens,
    decision: turns * each.decisions,
    sign_in: turns / 5,
    alert: each.alerts,
    document: each.documents,
    resent: each.resent,
    backup: 30,
    kept: 1,
  } satisfies Record<keyof typeof measured, number>
}

/** The use of so many organizations in a month, in all. */
function sumUse(organizations: number): Record<Meter, number> {
  const times = countTimes(habits)
  const names = Object.keys(prices) as Meter[]
  return Object.fromEntries(
    names.map((meter) => {
      const own = (Object.entries(measured) as [keyof typeof measured, Use][]).map(
        ([what, use]) => times[what] * (use[meter] ?? 0),
      )
      return [meter, (knowledge[meter] ?? 0) + organizations * own.reduce((sum, one) => sum + one, 0)]
    }),
  ) as Record<Meter, number>
}

const beyond = (used: number, { each, included }: { each: number; included: number }) =>
  Math.max(0, used - included) * each

/** US dollars a month without mails, and those of the mails. */
export function computeCost(organizations: number) {
  const use = sumUse(organizations)
  const parts = (Object.keys(prices) as Meter[]).map((meter): [Meter, number] => [
    meter,
    beyond(use[meter], prices[meter]),
  ])
  const total = parts.reduce((sum, [, dollars]) => sum + dollars, plan)
  return { use, parts, total, mail: beyond(organizations * habits.mails, mails), peak: computePeak(organizations) }
}

/** Queries a second in the busiest minutes: half of all tabs are open at once, and a tenth of their people work. */
function computePeak(organizations: number) {
  const tabs = (organizations * habits.people) / 2
  const { seen, hidden } = urgentPoll_ms
  const queries = { poll: 2, screen: 20 }
  const seenShare = 0.1
  const polls = 1_000 * tabs * (seenShare / seen + (1 - seenShare) / hidden)
  // People at work open a screen every twenty seconds.
  return polls * queries.poll + ((tabs * seenShare) / 20) * queries.screen
}

const sizes = [10, 1_000, 10_000, 100_000]

/** For the report: what is used, and what it costs. */
export function tellCost(): Figure[] {
  return sizes.flatMap((organizations) => {
    const { use, parts, total, mail, peak } = computeCost(organizations)
    const most = parts
      .filter(([, dollars]) => dollars > 0.005)
      .sort(([, one], [, other]) => other - one)
      .map(([meter, dollars]) => `${meter} ${dollars.toFixed(2)}`)
    const name = `${organizations.toLocaleString('en-US')} organizations`
    const millions = (count: number) => `${(count / 1e6).toFixed(1)} M`
    return [
      {
        what: `${name}, a month`,
        figure: `$${total.toFixed(2)} = $${(total / organizations).toFixed(4)} each; mails $${mail.toFixed(2)}`,
        ...(organizations === 10_000 && { bound: '$0.04 each' }),
      },
      { what: 'beyond the plan of $5', figure: most.join(', ') || 'nothing' },
      {
        what: 'used',
        figure: `${millions(use.requests)} requests, ${millions(use.rows_read)} rows read, ${millions(use.rows_written)} written, ${(use.cpu_ms / 3.6e6).toFixed(0)} h of CPU, ${use.stored_gb.toFixed(1)} GB`,
      },
      { what: 'queries a second at the peak', figure: peak.toFixed(0) },
    ]
  })
}
