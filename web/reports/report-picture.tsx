import { useSearchParams } from 'react-router-dom'
import { openQuery } from '../../worker/domain/decisions/status'
import { grouped } from '../../worker/domain/alerts/report-words'
import { severities, severityLabels, type VulnSeverity } from '../../worker/domain/scores/severity'
import type { ReportFacts, ReportRow } from '../../worker/alerts/reports/contract'
import { AppLink } from '../ui/app-link'
import classes from './report.module.css'

/** Numbers of a report whose rows stand in it. */
const parts = {
  new: { label: 'New', count: ({ new: added }: ReportFacts) => added, has: ({ is_new }: ReportRow) => is_new },
  changed: { label: 'Changed', count: ({ updated }: ReportFacts) => updated, has: ({ is_new }: ReportRow) => !is_new },
  held: { label: 'Held back', count: ({ held }: ReportFacts) => held, has: ({ is_held }: ReportRow) => is_held },
}
type Part = keyof typeof parts
const isPart = (text: string | null): text is Part => text !== null && Object.hasOwn(parts, text)

/** The rows that the address asks for; those of several pages are not counted by one. */
export function useShownRows(report: ReportFacts) {
  const [search, setSearch] = useSearchParams()
  const only = search.get('only')
  const part = isPart(only) && isWhole(report) ? parts[only] : undefined
  const showAll = () => {
    search.delete('only')
    setSearch(search, { preventScrollReset: true })
  }
  return { rows: part ? report.rows.filter(part.has) : report.rows, only: part?.label, showAll }
}

const isWhole = ({ pages, more }: ReportFacts) => pages === 1 && more === 0

/** `isNow`: the list of what is open shows what the report counts; that of a former day is another one by now. */
export function ReportPicture({ report, isNow }: { report: ReportFacts; isNow: boolean }) {
  const { open } = report
  const longest = Math.max(1, ...severities.map((band) => open[band]))
  return (
    <div className={classes.picture}>
      <dl className={classes.numbers}>
        <PartNumber part="new" report={report} />
        <PartNumber part="changed" report={report} />
        <div>
          <dt>Fixed</dt>
          <dd>{grouped(report.fixed)}</dd>
        </div>
        <PartNumber part="held" report={report} />
      </dl>
      <table className={classes.bars}>
        <caption>Open at the end, by severity</caption>
        <tbody>
          {severities.map((band) => (
            <tr key={band}>
              <th scope="row">{severityLabels[band]}</th>
              <td
                className={classes.bar}
                aria-hidden
                data-band={band}
                style={{ backgroundSize: `${Math.ceil((100 * open[band]) / longest)}% 12px` }}
              />
              <td className={classes.count}>
                {isNow && open[band] ? <OpenLink {...{ band, open }} /> : grouped(open[band])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PartNumber({ part, report }: { part: Part; report: ReportFacts }) {
  const [search] = useSearchParams()
  const { label, count } = parts[part]
  const number = count(report)
  const to = `?${new URLSearchParams({ ...Object.fromEntries(search), only: part })}`
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {number > 0 && isWhole(report) ? (
          <AppLink to={to} inherit underline="hover" aria-label={`${grouped(number)}: show these rows`}>
            {grouped(number)}
          </AppLink>
        ) : (
          grouped(number)
        )}
      </dd>
    </div>
  )
}

type OpenProps = { band: VulnSeverity; open: ReportFacts['open'] }

const OpenLink = ({ band, open }: OpenProps) => (
  <AppLink
    to={`/vulns?${new URLSearchParams({ monitored: 'true', q: `${openQuery} severity:${band}` })}`}
    inherit
    underline="hover"
    aria-label={`${grouped(open[band])} open, ${severityLabels[band]}`}
  >
    {grouped(open[band])}
  </AppLink>
)
