import { Code, Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { HelpTopic } from '../ui/help-link'
import { inventoryTopic } from './inventory-help'
import { KeyTable } from '../ui/key-table'
import { QueryHelp } from './query-help'
import { scoreTopic } from './score-topic'
import { sourceTopic } from './source-topic'
import { alertingTopic, monitoringTopic, organizationTopic, versionTopic } from './usage-topics'
import { publicSettingsQuery } from '../lib/public-settings'
import { Fact, Facts } from '../ui/facts'
import { AppLink } from '../ui/app-link'

type TopicPage = {
  title: string
  body: ReactNode
  /** Words by which the search finds it, beside the shown ones. */
  words?: string
}

function AboutVersion() {
  const { data } = useQuery(publicSettingsQuery)
  return (
    <>
      <p>© Earshot. All rights reserved. Data from public sources belongs to them and is subject to their terms.</p>
      <Facts>
        <Fact label="Version">{data?.version ?? 'not known yet'}</Fact>
        <Fact label="Edition">{data?.edition ?? 'not known yet'}</Fact>
        <Fact label="Build">{data?.build ?? 'not known yet'}</Fact>
      </Facts>
    </>
  )
}

function Contact() {
  const contact = useQuery(publicSettingsQuery).data?.contact
  return (
    <p>
      {contact ? (
        <>
          Write to <Anchor href={`mailto:${contact}`}>{contact}</Anchor>.
        </>
      ) : (
        'Ask the people who run this Earshot for you.'
      )}{' '}
      An admin of your organization can change your rights in it.
    </p>
  )
}

export const topics: Record<HelpTopic, TopicPage> = {
  monitoring: monitoringTopic,
  organizations: organizationTopic,
  alerting: alertingTopic,
  scores: scoreTopic,
  versions: versionTopic,
  inventories: inventoryTopic,
  conformance: {
    title: 'How exact it is',
    words:
      'conformance census cases right wrong unknown refused test reference cvss rating osv cpe cve versions order purl',
    body: (
      <p>
        Earshot’s scores, names and versions are tested against published values, records that list every version, and
        the records of the sources themselves. Earshot answers as not known what it refuses to judge; an answer other
        than that of a standard has its reason beside it. Anybody may read{' '}
        <Anchor href="/conformance">how many cases are right, and why each other one is not</Anchor>, and of{' '}
        <Anchor href="/census">how many CVEs anybody states affected versions at all, and how soon</Anchor>.
      </p>
    ),
  },
  query: {
    title: 'Query language',
    words: 'query language field operator AND OR NOT parentheses filter search q date age cpe',
    body: <QueryHelp />,
  },
  keyboard: {
    title: 'Keyboard',
    words: 'shortcut key next previous row open monitor select',
    body: (
      <>
        <p>
          Everything can be reached with <Code>Tab</Code> and used with <Code>Enter</Code>. Every list has more keys:
        </p>
        <KeyTable />
        <p>
          The inbox of the list has keys to decide: <Code>e</Code> done, <Code>n</Code> not interesting, <Code>i</Code>{' '}
          in progress, <Code>s</Code> snooze, <Code>a</Code> assign, <Code>u</Code> undo, <Code>Shift+U</Code> unread.
          They act on the selected rows, or on the row that the pane shows. <Code>?</Code> lists the keys of each
          screen, and switches those of one letter off.
        </p>
      </>
    ),
  },
  sources: sourceTopic,
  api: {
    title: 'REST API',
    words: 'swagger redoc openapi token jwt curl script client rate limit throttle',
    body: (
      <>
        <p>
          Every screen uses the API, and your scripts can use it, too: try it with{' '}
          <Anchor href="/api/docs/swagger/">Swagger UI</Anchor>, read it with{' '}
          <Anchor href="/api/docs/redoc/">ReDoc</Anchor>, or take the{' '}
          <Anchor href="/api/docs/openapi.json">OpenAPI</Anchor> document.
        </p>
        <p>
          Send <Code>Authorization: Token &lt;API token&gt;</Code> with each call; tokens are made in{' '}
          <AppLink to="/settings">Settings → Profile</AppLink>. Or sign in at{' '}
          <Code>/api/public/jwt-auth/obtain-token/</Code> and send <Code>Authorization: JWT &lt;access&gt;</Code>, which
          lasts for minutes and is renewed at <Code>/api/public/jwt-auth/refresh-token/</Code>.
        </p>
        <p>
          Lists answer <Code>count</Code>, <Code>next</Code>, <Code>previous</Code> and <Code>results</Code>; follow{' '}
          <Code>next</Code> until it is null. Too many calls are answered with 429 and <Code>Retry-After</Code>.
        </p>
      </>
    ),
  },
  contributing: {
    title: 'Contributing',
    body: (
      <>
        <p>
          If you may edit metadata, you can add exploits and threat activities to a vulnerability, and vulnerabilities
          that no public source knows. They are private to your organization and appear only in its own lists and
          alerts.
        </p>
        <p>
          Is something public wrong or missing? A wrong record is best corrected at its source: the tab “Records” on the
          page of a vulnerability shows what each source says. If Earshot itself is wrong, tell us the number that
          begins with PH- and what you expected.
        </p>
      </>
    ),
  },
  contact: { title: 'Contact', words: 'support mail address write ask', body: <Contact /> },
  about: {
    title: 'Copyright and version',
    words: 'version edition build licence copyright 1.3.0 pro saas',
    body: <AboutVersion />,
  },
}
