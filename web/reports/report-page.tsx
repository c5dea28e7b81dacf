import { Button, Skeleton } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router-dom'
import type { ReportFacts } from '../../worker/alerts/reports/contract'
import { describeNumbers, groupByProduct } from '../../worker/domain/report-words'
import { formatPeriod, reportKinds } from '../../worker/domain/report-times'
import { isNotFound } from '../lib/not-found'
import { AppLink } from '../ui/app-link'
import { FailedState } from '../ui/failed-state'
import { MissingState } from '../ui/missing-state'
import { Page } from '../ui/page'
import { reportQuery } from './api'
import type { ReportKind } from '../../worker/domain/report-times'
import { ReportPicture } from './report-picture'
import { ReportRows } from './report-rows'
import classes from './report.module.css'

export function ReportPage() {
  const { schedule = '', day = '' } = useParams()
  const [search] = useSearchParams()
  const page = Number(search.get('page') ?? 1)
  const kind = reportKinds.find((one) => one === schedule)
  if (!kind || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return <NoReport />
  if (!Number.isInteger(page) || page < 1) return <NoReport />
  return <Report kind={kind} day={day} page={page} org_id={Number(search.get('org')) || undefined} />
}

const NoReport = () => <MissingState title="Report not found" to="/reports" label="All reports" />

type Props = { kind: ReportKind; day: string; page: number; org_id: number | undefined }

function Report({ kind, day, page, org_id }: Props) {
  const { data: report, error, refetch } = useQuery(reportQuery({ schedule: kind, day, page, org_id }))
  if (isNotFound(error)) return <NoReport />
  return (
    <Page
      title={report ? `${report.org_name}: ${kind} report` : `Report of ${day}`}
      actions={
        <Button
          variant="default"
          size="xs"
          className={classes.screen}
          leftSection={<IconPrinter size={16} aria-hidden />}
          onClick={() => window.print()}
        >
          Print or save as PDF
        </Button>
      }
    >
      {error && <FailedState title="Unable to get the report" error={error} onRetry={() => void refetch()} />}
      {!error && (report ? <Contents report={report} page={page} /> : <Skeleton height={320} />)}
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

function Contents({ report, page }: { report: ReportFacts; page: number }) {
  const rawNames = new Map(report.raw_names)
  return (
    <article className={classes.report}>
      <p className={classes.quiet}>{formatPeriod(report)}</p>
      <p>{describeNumbers(report)}</p>
      <ReportPicture report={report} />
      {report.rows.length > 0 && (
        <>
          <h2>What changed</h2>
          <ReportRows rows={report.rows} rawNames={rawNames} />
          <Pages report={report} page={page} />
          {report.more > 0 && <p>and {report.more} more of lower risk, which this report only counts.</p>}
          {groupByProduct(report.rows).map(({ product, rows }) => (
            <section key={product} className={classes.product}>
              <h2>
                {product} <span className={classes.quiet}>{rawNames.get(product)}</span>
              </h2>
              <ReportRows rows={rows} rawNames={rawNames} isOfProduct />
            </section>
          ))}
        </>
      )}
    </article>
  )
}
