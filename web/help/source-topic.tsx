import { Anchor, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { freshnessQuery } from '../layout/api'
import { FeedList } from '../layout/feed-list'
import { findFreshness } from '../layout/feed-state'
import { FailedState } from '../ui/failed-state'
import classes from './help.module.css'

const sources: [name: string, says: string][] = [
  ['CVE list', 'the CVE itself: description, CVSS, CWE, SSVC and affected versions, by its CNA and CISA'],
  ['NVD', 'analysis by NIST: CVSS, CWE, product names with version ranges'],
  ['OSV, GitHub advisories', 'packages with their affected and fixed versions'],
  [
    'Malicious packages (OSSF)',
    'packages that are themselves an attack; those that were listed by mistake are withdrawn',
  ],
  ['Red Hat', 'its packages and products, fixed builds and its own assessment'],
  ['CISA KEV', 'exploited vulnerabilities, with a due date and the required action'],
  ['EU KEV', 'vulnerabilities that ENISA and the CSIRTs of the EU know to be exploited'],
  [
    'Catalogues of GCVE',
    'vulnerabilities that further catalogues call exploited, suspect or deny, where they use GCVE’s exchange form',
  ],
  [
    'VulnCheck KEV',
    'vulnerabilities that VulnCheck calls exploited, and who reported it; needs a key of the operator of this Earshot',
  ],
  ['EPSS', 'how probable exploitation is within 30 days'],
  ['Exploit-DB, Metasploit, PoC lists, Nuclei', 'exploits, each with trust, availability and maturity'],
  ['CWE, CAPEC, ATT&CK', 'weaknesses, attack patterns and techniques'],
  ['VEX Hub', 'statements of projects on vulnerabilities in their own products, as proposals'],
  ['endoflife.date', 'until when the releases of a product are supported'],
  ['CSAF advisories', 'bulletins of vendors and authorities'],
]

export const sourceTopic = {
  title: 'Where data comes from, and how fresh it is',
  words:
    'feed sync late failed status objective availability licence attribution holes up to date nvd cve osv ghsa redhat kev gcve vulncheck epss exploit',
  body: (
    <>
      <p>
        Earshot reads public sources and keeps the record of each. Pages combine them by fixed rules; the tab “Records”
        on the page of a vulnerability shows the records themselves.
      </p>
      <dl>
        {sources.map(([name, says]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <p>
        The state of each source now; pages for anybody show{' '}
        <Anchor href="/status">how the objectives were kept</Anchor> for 90 days, and{' '}
        <Anchor href="/sources">licences and authors</Anchor>.
      </p>
      <p>
        Now and then a source rewrites many records without news: other dates, ids, links, order or wording, or an EPSS
        file of another model. Nobody is alerted; for a week Settings → Sync tells it at the feed. The same holds after
        an upgrade of Earshot that reads records by other rules: it reads those sources once more from the beginning.
      </p>
      <SourceFreshness />
    </>
  ),
}

function SourceFreshness() {
  const { data, error, refetch } = useQuery(freshnessQuery)
  if (error && !data) return <FailedState title="Unable to get the feeds" query={{ error, refetch }} />
  if (!data) return <Skeleton height={120} aria-busy />
  return (
    <>
      <p>
        <strong>{findFreshness(data.feeds).text}</strong>
      </p>
      <div className={classes.fresh}>
        <FeedList feeds={data.feeds} />
      </div>
    </>
  )
}
