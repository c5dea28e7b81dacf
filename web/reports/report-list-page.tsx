import { Button, Group, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import type * as z from 'zod'
import type { ReportEntry } from '../../worker/alerts/reports/contract'
import { formatPeriod, reportKinds } from '../../worker/domain/alerts/report-times'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { EmptyState } from '../ui/empty-state'
import { Loaded } from '../ui/loaded'
import { HelpLink } from '../ui/help-link'
import { Page } from '../ui/page'
import { reportsQuery } from './api'
import { NowLinks } from './now-links'
import classes from './report.module.css'
import { ensure } from '../lib/ensure'

type Entry = z.output<typeof ReportEntry>
const titles = { daily: 'Daily', weekly: 'Weekly', monthly: 'Monthly' }

export const startReports = () => ensure(reportsQuery)

export function ReportListPage() {
  return (
    <Page title="Reports" actions={<HelpLink topic="alerting" about="reports" />}>
      <Loaded query={useQuery(reportsQuery)} failed="Unable to get the reports" waiting={<Skeleton height={240} />}>
        {(reports) => (
          <>
            <p className={classes.about}>
              As it would be now: <NowLinks />
            </p>
            {reports.length === 0 && <NoReports />}
            {reportKinds.map((kind) => {
              const entries = reports.filter((entry) => entry.kind === kind)
              return entries.length > 0 && <Entries key={kind} title={titles[kind]} entries={entries} />
            })}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const NoReports = () => (
  <EmptyState
    title="No reports yet"
    text="A report tells what is new, changed and fixed in a day, a week or a month. All reports are listed here."
  >
    <Group justify="center">
      <Button component={Link} to="/settings?tab=alerting" size="xs">
        Choose when reports come
      </Button>
      <Button component={Link} to="/reports/sample" size="xs">
        See a sample
      </Button>
    </Group>
  </EmptyState>
)

const Entries = ({ title, entries }: { title: string; entries: Entry[] }) => (
  <Card title={title}>
    <ul className={classes.list}>
      {entries.map((entry) => (
        <li key={entry.period} className={classes.entry}>
          <AppLink to={`/reports/${entry.kind}/${entry.period}`}>{formatPeriod(entry)}</AppLink>
          <span className={classes.quiet}>{describeEntry(entry)}</span>
        </li>
      ))}
    </ul>
  </Card>
)

const describeEntry = ({ new: added, updated, fixed, held }: Entry) =>
  added + updated + fixed + held === 0
    ? 'nothing to report'
    : `${added} new, ${updated} changed, ${fixed} fixed${held ? `, ${held} held back` : ''}`
