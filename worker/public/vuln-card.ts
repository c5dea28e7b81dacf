import { html } from '../http/html'
import { isExploitedBy } from '../domain/names/catalogues'
import { idLinks } from '../domain/names/id-links'
import { productLabel } from '../domain/names/product'
import { knownUpdate } from '../domain/words/last-update'
import { card, outLink, words } from './card'
import type { PublicVuln } from './contract'
import type { Html } from './page'
import { showDate, missingSummary } from './words'

const maxTechnologies = 10
const shownLinks = 10
const maxLinks = 200

export function vulnCard(vuln: PublicVuln) {
  const { cveid, aliases, state, summary, references } = vuln
  const [advisory] = cveid ? [] : aliases
  const others = cveid ? aliases : aliases.slice(1)
  const claims = vuln.exploited_by.filter((one) => one.by !== 'cisa' && one.withdrawn === null && isExploitedBy(one))
  return card(
    'Vulnerability',
    html`${state === 'rejected' ? html`<p class="withdrawn">Its CVE was withdrawn: this is not a vulnerability.</p>` : ''}
      <p class="summary">${summary || missingSummary(state)}</p>
      ${technologies(vuln)}
      ${words([
        ['Id', `PH-${vuln.id}`],
        advisory ? ['Advisory', idAtHome(advisory)] : ['CVE', cveid ? idAtHome(cveid) : 'n/a'],
        ...named('Other names', others.slice(0, shownLinks).map(idAtHome)),
        ['CWE', weakness(vuln)],
        ['Published', html`<time>${showDate(vuln.published)}</time>`],
        ['Last update', html`<time>${showDate(knownUpdate(vuln))}</time>`],
        ['CISA KEV', knownExploited(vuln)],
        ...named(
          'Called exploited by',
          claims.map(({ link, name, added }) => html`${outLink(link, name)}${added && ` on ${added}`}`),
        ),
        ['Exploits', vuln.exploit_count],
        ['Threat activities', vuln.threat_activity_count],
        ['CPEs', vuln.cpe_count],
        ['Vulnerable products', vuln.product_count],
      ])}
      ${techniques(vuln)}
      ${list(
        'References',
        references.map(({ url }) => outLink(url)),
      )}`,
  )
}

const named = (label: string, items: unknown[]) =>
  items.length ? [[label, items.map((item, at) => html`${at ? '; ' : ''}${item}`)] as const] : []

function idAtHome(id: string) {
  const [first, ...others] = idLinks(id)
  if (!first) return id
  return html`${id} at ${outLink(first.url, first.site)}${others.map(({ url, site }) => html`, ${outLink(url, site)}`)}`
}

function weakness({ cwe_id, cwe_name }: PublicVuln) {
  const number = /^CWE-(\d+)$/.exec(cwe_id)?.[1]
  if (!number) return cwe_id || 'n/a'
  return html`${outLink(`https://cwe.mitre.org/data/definitions/${number}.html`, `CWE-${number}`)} ${cwe_name}`
}

function knownExploited({ kev }: PublicVuln) {
  if (!kev) return 'not listed'
  const due = kev.due ? `, due ${kev.due}` : ''
  return `listed ${kev.added}${due}${kev.ransomware ? ', used in ransomware campaigns' : ''}`
}

function technologies({ affected, affected_packages, product_count, package_count }: PublicVuln) {
  const names = [
    ...affected.map(({ vendor, product }) => productLabel(vendor, product)),
    ...affected_packages.map(({ type, name }) => `${type} · ${name}`),
  ]
  const shown = [...new Set(names)].slice(0, maxTechnologies)
  if (!shown.length) return ''
  const more = product_count + package_count - shown.length
  return html`<ul class="chips" aria-label="Technologies">
    ${shown.map((name) => html`<li>${name}</li>`)} ${more > 0 ? html`<li class="more">+${more}</li>` : ''}
  </ul>`
}

/** Techniques that only follow from a weakness fit thousands of vulnerabilities: they are folded, and say so. */
function techniques({ attack_techniques }: PublicVuln) {
  if (!attack_techniques.length) return ''
  const listFor = (wanted: 'exposure' | 'weakness') =>
    attack_techniques
      .filter(({ reason }) => reason === wanted)
      .map(({ external_id, url, description }) => outLink(url, `${external_id} ${description}`))
  const [exposed, derived] = [listFor('exposure'), listFor('weakness').slice(0, maxLinks)]
  return html`<h3>MITRE ATT&CK</h3>
    ${
      exposed.length
        ? html`<p>Reached over a network without authentication:</p>
            ${links(exposed)}`
        : ''
    }
    ${
      derived.length
        ? html`<details>
            <summary>${derived.length} that ${derived.length === 1 ? 'follows' : 'follow'} from its CWE alone</summary>
            ${links(derived)}
          </details>`
        : ''
    }`
}

/** Shows the first few items and folds the others. */
function list(title: string, items: Html[]) {
  if (!items.length) return ''
  const [first, others] = [items.slice(0, shownLinks), items.slice(shownLinks, maxLinks)]
  const more = others.length
    ? html`<details>
        <summary>${items.length - shownLinks} more</summary>
        ${links(others)} ${items.length > maxLinks ? html`<p>and ${items.length - maxLinks} more, not listed</p>` : ''}
      </details>`
    : ''
  return html`<h3>${title}</h3>
    ${links(first)} ${more}`
}

const links = (items: Html[]) =>
  html`<ul class="links">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`
