import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { isNotFound } from '../lib/not-found'
import { Card } from '../ui/card'
import { EmptyState } from '../ui/empty-state'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'
import { sampleQuery } from './api'
import { Contents } from './report-page'
import classes from './report.module.css'
import { ensure } from '../lib/ensure'

export const startSample = () => ensure(sampleQuery)

/** A sample of the mails, for members who have got none yet. */
export function SamplePage() {
  const sample = useQuery(sampleQuery)
  return (
    <Page title="Sample report and alert">
      {isNotFound(sample.error) ? (
        <EmptyState title="No sample yet" text="It is made of CISA's list, which is being loaded for the first time." />
      ) : (
        <Loaded query={sample} failed="Unable to get the sample" waiting={<Skeleton height={320} />}>
          {({ alert, report }) => (
            <>
              <p className={classes.quiet}>
                As though you ran what CISA listed last. Nothing of it needs to concern you, and nothing was sent.
              </p>
              <Card title="An alert, as a mail">
                <p>
                  <strong>{alert.subject}</strong>
                </p>
                <pre className={classes.mail}>{alert.text}</pre>
              </Card>
              <Card title="A weekly report">
                <Contents report={report} page={1} />
              </Card>
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}
