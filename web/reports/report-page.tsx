import { Button, Skeleton } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router-dom'
import type { ReportFacts, ReportRow } from '../../worker/alerts/reports/contract'
import {
  describeNumbers,
  groupByProduct,
  describeExploits,
  grouped,
  listSupportEnds,
  supportTitle,
} from '../../worker/domain/alerts/report-words'
import { formatPeriod, reportKinds, type ReportKind } from '../../worker/domain/alerts/report-times'
import { useAccess } from '../session/access'
import { isNotFound } from '../lib/not-found'
import { AppLink } from '../ui/app-link'
import { Loaded } from '../ui/loaded'
import { MissingState } from '../ui/missing-state'
import { Page } from '../ui/page'
import { reportNowQuery, reportQuery, sendReportMutation } from './api'
import classes from './report.module.css'
import { ReportPicture, useShownRows } from './report-picture'
import { KevMark } from '../ui/kev-mark'
import { Mark } from '../ui/mark'
import { ScoreBadge } from '../ui/score-badge'
import { ensure, type Place } from '../lib/ensure'
import { WriteButton } from '../session/write-button'

export function startReport({ params: { schedule, day = '' }, search }: Place) {
  const kind = reportKinds.find((known) => known === schedule)
  const query = new URLSearchParams(search)
  const org_id = Number(query.get('org')) || undefined
  return kind && ensure(reportQuery({ schedule: kind, day, page: Number(query.get('page') ?? 1), org_id }))
}

export function ReportPage() {
  const { schedule = '', day = '' } = useParams()
  const [search] = useSearchParams()
  const page = Number(search.get('page') ?? 1)
  const kind = reportKinds.find((known) => known === schedule)
  if (!kind || !Number.isInteger(page) || page < 1) return <NoReport />
  if (day === 'now') return <ReportNow kind={kind} page={page} />
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return <NoReport />
  return <Report kind={kind} day={day} page={page} org_id={Number(search.get('org')) || undefined} />
}

const NoReport = () => <MissingState title="Report not found" to="/reports" label="All reports" />

type Props = { kind: ReportKind; day: string; page: number; org_id: number | undefined }

function Report({ kind, day, page, org_id }: Props) {
  const found = useQuery(reportQuery({ schedule: kind, day, page, org_id }))
  const { data: report } = found
  if (isNotFound(found.error)) return <NoReport />
  return (
    <Page
      title={report ? `${report.org_name}: ${kind} report` : `Report of ${day}`}
      actions={
        <Button
          size="xs"
          className={classes.screen}
          leftSection={<IconPrinter size={16} aria-hidden />}
          onClick={() => window.print()}
        >
          Print or save as PDF
        </Button>
      }
    >
      <Loaded query={found} failed="Unable to get the report" waiting={<Skeleton height={320} />}>
        {(loaded) => <Contents report={loaded} page={page} />}
      </Loaded>
    </Page>
  )
}

function ReportNow({ kind, page }: { kind: ReportKind; page: number }) {
  const found = useQuery(reportNowQuery(kind, page))
  const { data: report } = found
  const sending = useMutation(sendReportMutation)
  const maySend = useAccess()('manageAlerts')
  if (isNotFound(found.error)) return <NoReport />
  return (
    <Page
      title={report ? `${report.org_name}: ${kind} report, as it is now` : `The ${kind} report, as it is now`}
      actions={
        maySend && (
          <WriteButton size="xs" loading={sending.isPending} onClick={() => sending.mutate(kind)}>
            Send it now
          </WriteButton>
        )
      }
    >
      <p className={classes.about}>
        Since the last {kind} report. The next one tells of all of it again; sent now, it goes to the contact e-mails.
      </p>
      <Loaded query={found} failed="Unable to make the report" waiting={<Skeleton height={320} />}>
        {(loaded) => <Contents report={loaded} page={page} isNow />}
      </Loaded>
    </Page>
  )
}

/** Each page is a link, so that mails and the ledger lead to it. */
function Pages({ report: { pages, held_pages }, page }: { report: ReportFacts; page: number }) {
  const [search] = useSearchParams()
  if (pages === 1) return null
  const linkTo = (to: number) => `?${new URLSearchParams({ ...Object.fromEntries(search), page: String(to) })}`
  return (
    <nav aria-label="Pages of the report" className={classes.screen}>
      Page{' '}
      {Array.from({ length: pages }, (_, at) => at + 1).map((each) => (
        <span key={each}>
          {each === page ? <strong aria-current="page">{each}</strong> : <AppLink to={linkTo(each)}>{each}</AppLink>}
          {held_pages.includes(each) && <span className={classes.quiet}> (held back)</span>}{' '}
        </span>
      ))}
    </nav>
  )
}

type ContentsProps = { report: ReportFacts; page: number; isNow?: boolean }

export function Contents({ report, page, isNow = false }: ContentsProps) {
  const { rows, only, showAll } = useShownRows(report)
  return (
    <article className={classes.report}>
      <p className={classes.quiet}>{formatPeriod(report)}</p>
      <p>{describeNumbers(report)}</p>
      <ReportPicture report={report} isNow={isNow} />
      {report.rows.length > 0 && (
        <>
          <h2>{only ? `What changed: ${only.toLowerCase()}` : 'What changed'}</h2>
          {only && (
            <p>
              <Button size="compact-sm" className={classes.screen} onClick={showAll}>
                Show all {grouped(report.rows.length)}
              </Button>
            </p>
          )}
          <ReportRows rows={rows} />
          <Pages report={report} page={page} />
          {report.more > 0 && <p>and {grouped(report.more)} more of lower risk, which this report only counts.</p>}
          {groupByProduct(rows).map(({ product, rows: changes }) => (
            <section key={product} className={classes.product}>
              <h2>{product}</h2>
              <ReportRows rows={changes} isOfProduct />
            </section>
          ))}
        </>
      )}
      <SupportEnds report={report} />
    </article>
  )
}

function SupportEnds({ report }: { report: ReportFacts }) {
  if (!report.support_ends.length) return null
  return (
    <section className={classes.product}>
      <h2>{supportTitle}</h2>
      <ul>
        {listSupportEnds(report).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className={classes.quiet}>Dates are those of endoflife.date.</p>
    </section>
  )
}

type ReportRowsProps = { rows: ReportRow[]; isOfProduct?: boolean }

const ReportRows = ({ rows, isOfProduct = false }: ReportRowsProps) => (
  <table className={classes.rows}>
    <thead>
      <tr>
        <th scope="col">Status</th>
        {!isOfProduct && <th scope="col">Product</th>}
        <th scope="col">{isOfProduct ? 'What changed' : 'Summary'}</th>
        <th scope="col">CVSS</th>
        <th scope="col">Score</th>
        <th scope="col">Exploits</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>
          <td>
            {row.is_new ? 'New' : 'Update'} {row.is_held && <Mark tone="quiet">Held back</Mark>}
          </td>
          {!isOfProduct && (
            <td className={classes.name}>
              {row.products[0] ?? '–'}
              {row.products.length > 1 && <span className={classes.quiet}> +{row.products.length - 1}</span>}
            </td>
          )}
          <td className={classes.text}>
            <AppLink to={`/vulns/${row.id}`}>{row.name}</AppLink>
            <div>{isOfProduct ? row.changed.join(' · ') || 'Nothing changed since' : row.summary}</div>
          </td>
          <td data-label="CVSS">{row.cvss ?? 'n/a'}</td>
          <td data-label="Score">
            <ScoreBadge of={row} isBare />
          </td>
          <td data-label="Exploits">{row.kev ? <KevMark /> : describeExploits(row)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
