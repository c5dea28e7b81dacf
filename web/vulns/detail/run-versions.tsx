import { IconAlertTriangle, IconHelp, IconShieldCheck } from '@tabler/icons-react'
import { itemName } from '../../../worker/domain/names/product'
import { speakRange } from '../../../worker/domain/versions/range'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { AppLink } from '../../ui/app-link'
import { Mark } from '../../ui/mark'
import { ProductLabel } from '../../ui/product-name'
import { SupportAdvice } from '../../ui/support-mark'
import { useSourceName } from './source-name'
import classes from '../vuln-detail.module.css'

type Item = VulnDetail['runs'][number]

const faces = {
  confirmed: { tone: 'alarm', word: 'Affected', icon: <IconAlertTriangle size={14} aria-hidden /> },
  likely: { tone: 'alarm', word: 'Likely affected', icon: <IconAlertTriangle size={14} aria-hidden /> },
  unknown: { tone: 'quiet', word: 'Unknown', icon: <IconHelp size={14} aria-hidden /> },
  not_affected: { tone: 'calm', word: 'Not affected', icon: <IconShieldCheck size={14} aria-hidden /> },
} as const

export function RunVersionList({ runs }: { runs: Item[] }) {
  return (
    <ul className={classes.reasons} aria-label="Versions that you run">
      {runs.flatMap((item) =>
        item.versions.map((run) => (
          <li key={`${item.via} ${item.id} ${item.name} ${run.version}`}>
            <Mark tone={faces[run.verdict].tone} icon={faces[run.verdict].icon}>
              {faces[run.verdict].word}
            </Mark>{' '}
            <ItemName item={item} /> {run.version}
            <Statement run={run} />
            {run.support && <SupportAdvice {...run.support} />}
          </li>
        )),
      )}
    </ul>
  )
}

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
      {fixed_in && (
        <>
          {' '}
          Fixed in <b>{fixed_in}</b>.
        </>
      )}
      {!fixed_in && first_unlisted && (
        <>
          {' '}
          First version not listed as affected: <b>{first_unlisted}</b>.
        </>
      )}
    </>
  )
}
