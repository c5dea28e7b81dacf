import { SourceFreshness } from './source-freshness'

const sources: [name: string, says: string][] = [
  ['CVE list', 'what a CVE is: words, CVSS, CWE, SSVC and affected versions, by its CNA and CISA'],
  ['NVD', 'its analysis: CVSS, CWE, product names with version bounds'],
  ['OSV, GitHub advisories', 'packages of the ecosystems, affected and fixed versions'],
  ['Red Hat', 'its packages and products, fixed builds, its own judgement'],
  ['CISA KEV', 'that a vulnerability is being exploited, until when to act, and how'],
  ['EPSS', 'how probable exploitation is within 30 days'],
  ['Exploit-DB, Metasploit, PoC lists, Nuclei', 'exploits, each with trust, availability and maturity'],
  ['CWE, CAPEC, ATT&CK', 'weaknesses, how they are attacked, techniques'],
  ['CSAF advisories', 'bulletins of vendors and authorities'],
]

export const sourceTopic = {
  title: 'Where data comes from, and how fresh it is',
  words: 'feed sync late failed holes up to date nvd cve osv ghsa redhat kev epss exploit',
  body: (
    <>
      <p>
        Earshot reads public sources and keeps what each of them said. What a page shows is derived from all of them by
        fixed rules; “What the sources say” on the page of a vulnerability shows the records themselves.
      </p>
      <dl>
        {sources.map(([name, says]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <p>How each of them does right now:</p>
      <SourceFreshness />
    </>
  ),
}
