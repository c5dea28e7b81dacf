import { IconAlertTriangle, IconArrowsSplit, IconHelp, IconShieldCheck } from '@tabler/icons-react'
import type * as z from 'zod'
import { itemName } from '../../../worker/domain/names/product'
import { speakRange } from '../../../worker/domain/versions/range'
import type { testVersion } from '../../../worker/triage/contract'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { AppLink } from '../../ui/app-link'
import { Mark } from '../../ui/mark'
import { ProductLabel } from '../../ui/product-name'
import { SupportAdvice } from '../../ui/support-mark'
import { useSourceName } from './source-name'
import classes from '../vuln-detail.module.css'

const alarm = { tone: 'alarm', icon: IconAlertTriangle } as const
const faces = {
  affected: { ...alarm, children: 'Affected' },
  confirmed: { ...alarm, children: 'Affected' },
  likely: { ...alarm, children: 'Likely affected' },
  unknown: { tone: 'quiet', icon: IconHelp, children: 'Unknown' },
  not_affected: { tone: 'calm', icon: IconShieldCheck, children: 'Not affected' },
} as const

const Until = ({ words, version }: { words: string; version: string | null }) =>
  version && (
    <>
      {` ${words} `}
      <b>{version}</b>.
    </>
  )

type Item = VulnDetail['runs'][number]

export const RunVersionList = ({ runs }: { runs: Item[] }) => (
  <ul className={classes.reasons} aria-label="Versions that you run">
    {runs.flatMap((item) =>
      item.versions.map((run) => (
        <li key={`${item.via} ${item.id} ${item.name} ${run.version}`}>
          <Mark {...faces[run.verdict]} /> <ItemName item={item} /> {run.version}
          <Statement run={run} />
          {run.support && <SupportAdvice {...run.support} />}
        </li>
      )),
    )}
  </ul>
)

function ItemName({ item: { via, id, name, vendor } }: { item: Item }) {
  if (via === 'package') return <AppLink to={`/packages/${id}`}>{itemName({ via, vendor, name })}</AppLink>
  if (via === 'product')
    return (
      <AppLink to={`/product/${id}`}>
        <ProductLabel vendor={vendor} name={name} />
      </AppLink>
    )
  return (
    <>
      <b>{name}</b> in{' '}
      <AppLink to={`/monitoring/inventories/${encodeURIComponent(vendor)}?tab=findings`}>{vendor}</AppLink>,
    </>
  )
}

function Statement({ run }: { run: Item['versions'][number] }) {
  const { source, verdict, statement, fixed_in, first_unlisted } = run
  const nameSource = useSourceName()
  const said = statement
    ? `says ${speakRange(statement)}`
    : verdict === 'unknown'
      ? 'names no version'
      : 'says all versions'
  return (
    <>
      : {source ? `${nameSource(source)} ${said}` : 'no source mentions this version'}.
      <Until words="Fixed in" version={fixed_in} />
      {!fixed_in && <Until words="First version not listed as affected:" version={first_unlisted} />}
    </>
  )
}

type Answer = z.output<(typeof testVersion)['reply']>

const confidences = { confirmed: 'confirmed', likely: 'likely', name_only: 'by name only: no version is given' }

function reasonOfUnknown({ range, by }: Answer, unordered?: string) {
  if (unordered)
    return `cannot tell, as ${unordered} packages have an order of versions that Earshot does not know: it judges only a version that a source names`
  return range === null && by.every((one) => one.range === null)
    ? 'no source says anything of it'
    : 'no source calls it affected or not affected in a way that can be compared with it'
}

type VerdictProps = {
  version: string
  answer: Answer
  /** Names packages whose versions nobody can put in order here. */
  unordered?: string | undefined
}

export function VersionVerdict({ version, answer, unordered }: VerdictProps) {
  const nameSource = useSourceName()
  return (
    <>
      <p className={classes.verdict}>
        <Mark {...faces[answer.status]} />
        {answer.is_disputed && (
          <Mark tone="warning" icon={IconArrowsSplit}>
            Sources disagree
          </Mark>
        )}
        {version}: {answer.status === 'unknown' ? reasonOfUnknown(answer, unordered) : confidences[answer.confidence]}
        {answer.source && ` (${nameSource(answer.source)}${answer.range ? `: ${speakRange(answer.range)}` : ''})`}.
        {answer.reason && ` ${answer.reason}`}
        <Until words="Fixed in" version={answer.fixed_in} />
        <Until words="First version not listed as affected:" version={answer.first_unlisted} />
      </p>
      {answer.by.length > 1 && (
        <ul className={classes.reasons}>
          {answer.by.map(({ source, status, range, fixed_in, first_unlisted, reason }) => (
            <li key={source}>
              {nameSource(source)}: {faces[status].children.toLowerCase()}
              {range && ` (${speakRange(range)})`}
              {fixed_in && `, fixed in ${fixed_in}`}
              {first_unlisted && `, first not listed: ${first_unlisted}`}
              {reason && `. ${reason}`}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
