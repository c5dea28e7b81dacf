import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { AppLink } from '../ui/app-link'
import { Page } from '../ui/page'
import { QueryHelp } from './query-help'

export function HelpPage() {
  return (
    <Page title="Help">
      <Stack gap="lg" maw={720}>
        <Topic title="Monitoring">
          Find what you run under <AppLink to="/products">Products</AppLink> and switch on Monitored. A vulnerability
          counts as monitored when you watch it directly, or when it affects a product or a vendor that you watch.
          Monitoring belongs to the organization: everybody in it sees the same.
        </Topic>
        <Topic title="Organizations">
          You may belong to several organizations. The menu at the top right, which reads user@organisation, switches
          between them.
        </Topic>
        <Topic title="Alerting">
          When a monitored vulnerability appears or changes, an alert is planned once and delivered to each address of
          the organization. <AppLink to="/alerts">Alerts</AppLink> shows what was sent, what failed and why.
        </Topic>
        <Topic title="Scores">
          Score is ours, from 0 to 100: 80 and above is critical, 60 high, 40 medium. CVSS is the severity that the
          publisher or NVD gave, from 0 to 10. EPSS is the probability of exploitation within 30 days. KEV marks what
          CISA knows to be exploited. n/a means that nobody has scored it yet, which is not the same as harmless.
        </Topic>
        <QueryHelp />
        <Topic title="REST API">
          Every screen uses the API under <code>/api</code>. Sign in at <code>/api/public/jwt-auth/obtain-token/</code>{' '}
          and send <code>Authorization: JWT &lt;access&gt;</code> with each call.
        </Topic>
      </Stack>
    </Page>
  )
}

function Topic({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={2} mb={4}>
        {title}
      </Title>
      <Text size="sm">{children}</Text>
    </section>
  )
}
