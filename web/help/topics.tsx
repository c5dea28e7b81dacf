import { Code } from '@mantine/core'
import type { ReactNode } from 'react'
import type { HelpTopic } from '../ui/help-link'
import { Conformance } from './conformance'
import { AboutVersion, Contact } from './about'
import { apiTopic } from './api-topic'
import { inventoryTopic } from './inventory-help'
import { KeyTable } from '../ui/key-table'
import { QueryHelp } from './query-help'
import { scoreTopic } from './score-topic'
import { sourceTopic } from './source-topic'
import { alertingTopic, monitoringTopic, organizationTopic, versionTopic } from './usage-topics'

export type Topic = {
  title: string
  body: ReactNode
  /** What the search finds it by, beside the words it shows. */
  words?: string
}

export const topics: Record<HelpTopic, Topic> = {
  monitoring: monitoringTopic,
  organizations: organizationTopic,
  alerting: alertingTopic,
  scores: scoreTopic,
  versions: versionTopic,
  inventories: inventoryTopic,
  conformance: {
    title: 'How exact it is',
    words: 'conformance cases pass refused test reference cvss rating osv cpe cve versions order',
    body: (
      <>
        <p>
          Scores, names and versions are compared with what others know to be so: golden values, records that name every
          version, and the records of the sources themselves. What is refused is answered as not known.
        </p>
        <Conformance />
      </>
    ),
  },
  query: {
    title: 'Asking exactly',
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
      </>
    ),
  },
  sources: sourceTopic,
  api: apiTopic,
  contributing: {
    title: 'Contributing',
    body: (
      <>
        <p>
          Whoever may edit metadata adds exploits and threat activities to a vulnerability, and vulnerabilities that no
          public source knows. They stay private to the organization, which sees them in its own lists and alerts only.
        </p>
        <p>
          Is something public wrong or missing? A wrong record is best mended at its source: “What the sources say” on
          the page of a vulnerability names who said what. Tell us what Earshot itself gets wrong, with the number that
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
