import { strToU8, zipSync } from 'fflate'
import { runSync, syncInfo, type FeedInfo } from '../../../worker/feeds/contract'
import { anOrg } from './org'
import { fakeOrigins } from './origins'
import { aWorld } from './world'

export const taxonomySettings = {
  CWE_URL: 'https://cwe.test/cwec_latest.xml.zip',
  CAPEC_URL: 'https://capec.test/stix-capec.json',
  ATTACK_URL: 'https://attack.test/enterprise.json https://attack.test/ics.json',
}

export const weaknessXml = (id: number, name: string, inside: string) =>
  `<Weakness ID="${id}" Name="${name}" Abstraction="Base" Structure="Simple" Status="Stable">${inside}</Weakness>`
export const catalogue = (weaknesses = [xss, overflow].join('')) => `<?xml version="1.0" encoding="UTF-8"?>
<Weakness_Catalog Name="CWE" Version="4.16" xmlns="http://cwe.mitre.org/cwe-7" xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <Weaknesses>${weaknesses}</Weaknesses>
  <Categories>
    <Category ID="264" Name="Permissions, Privileges, and Access Controls" Status="Obsolete">
      <Summary>About permissions.</Summary>
      <Relationships><Has_Member CWE_ID="79" View_ID="1"/></Relationships>
    </Category>
  </Categories>
</Weakness_Catalog>`
export const xss = weaknessXml(
  79,
  'Improper Neutralization of Input (&apos;XSS&apos;)',
  `<Description>Characters such as "&lt;" &amp; "&gt;" stay as they are.</Description>
   <Extended_Description>
     <xhtml:p>There are two
        kinds:</xhtml:p>
     <xhtml:ul><xhtml:li>stored</xhtml:li><xhtml:li>reflected</xhtml:li></xhtml:ul>
   </Extended_Description>
   <Related_Weaknesses>
     <Related_Weakness Nature="ChildOf" CWE_ID="787" View_ID="1000" Ordinal="Primary"/>
     <Related_Weakness Nature="ChildOf" CWE_ID="787" View_ID="1003" Ordinal="Primary"/>
   </Related_Weaknesses>
   <Potential_Mitigations><Mitigation><Description>Not the description.</Description></Mitigation></Potential_Mitigations>
   <Likelihood_Of_Exploit>High</Likelihood_Of_Exploit>`,
)
export const overflow = weaknessXml(787, 'Out-of-bounds Write', '<Description>Writes past the end.</Description>')

export const zipped = (xml: string, cut = 0) => {
  const bytes = zipSync({ 'cwec_v4.16.xml': strToU8(xml) })
  return new Response(bytes.slice(0, bytes.length - cut))
}

export const bundle = (objects: unknown[]) => ({ type: 'bundle', id: 'bundle--1', objects })
export const aRelationship = {
  type: 'relationship',
  source_ref: 'attack-pattern--1',
  target_ref: 'course-of-action--1',
}
export const aPattern = (id: number, { cwe = [] as number[], attack = [] as string[], more = {} } = {}) => ({
  type: 'attack-pattern',
  name: `Pattern ${id}`,
  description: '<xhtml:p>An adversary acts.</xhtml:p>',
  external_references: [
    { source_name: 'capec', external_id: `CAPEC-${id}`, url: `https://capec.mitre.org/data/definitions/${id}.html` },
    ...cwe.map((number) => ({ source_name: 'cwe', external_id: `CWE-${number}` })),
    ...attack.map((technique) => ({ source_name: 'ATTACK', external_id: technique, description: 'Some name' })),
    { source_name: 'reference_from_CAPEC', external_id: 'REF-1' },
  ],
  x_capec_status: 'Stable',
  x_capec_likelihood_of_attack: 'High',
  x_capec_typical_severity: 'Very High',
  ...more,
})
export const aTechnique = (
  id: string,
  name: string,
  domains = ['enterprise-attack'],
  more: Record<string, unknown> = {},
) => ({
  type: 'attack-pattern',
  name,
  description: 'Runs [scripts](https://attack.mitre.org/x) in `sh`.(Citation: Somebody 2020)',
  external_references: [
    {
      source_name: 'mitre-attack',
      external_id: id,
      url: `https://attack.mitre.org/techniques/${id.replace('.', '/')}`,
    },
    { source_name: 'Somebody 2020', url: 'https://example.org' },
  ],
  x_mitre_domains: domains,
  ...more,
})

/** The three catalogues, which a test changes, and an admin who has them read. */
export async function aTaxonomyScene() {
  const origins = fakeOrigins()
  origins.instead = (url) => files[url.href]?.() ?? null
  const world = aWorld(taxonomySettings)
  const files: Record<string, () => Response> = {
    [taxonomySettings.CWE_URL]: () => zipped(catalogue()),
    [taxonomySettings.CAPEC_URL]: () =>
      Response.json(bundle([aPattern(63, { cwe: [79], attack: ['T1059.007'] }), aRelationship])),
    'https://attack.test/enterprise.json': () =>
      Response.json({
        ...bundle([aTechnique('T1059.007', 'JavaScript'), aTechnique('T1499', 'Flood')]),
        spec_version: '2.0',
      }),
    'https://attack.test/ics.json': () =>
      Response.json(bundle([aTechnique('T0814', 'Denial of Service', ['ics-attack'])])),
  }
  const admin = await anOrg({ world, is_admin: true })

  async function sync(feed: FeedInfo['id']) {
    await admin.call(runSync, { query: { feed } })
    await world.drain()
    return (await admin.call(syncInfo)).feeds.find(({ id }) => id === feed)
  }

  const restore = () => origins.restore()

  return { origins, world, files, admin, sync, restore }
}
