import type { ProductDetail } from '../../worker/kb/contract'
import { AppLink } from '../ui/app-link'
import { ProductLabel } from '../ui/product-name'
import { plural } from '../lib/format'
import classes from './kb.module.css'

const facts = { cve: 'in CVE records', kev: 'in CISA’s KEV', cpe: 'once in the CPE dictionary' }

export const AliasList = ({ aliases }: Pick<ProductDetail, 'aliases'>) => (
  <ul className={classes.aliases}>
    {aliases.map(({ name, fact }) => (
      <li key={name}>
        {name} <span className={classes.note}>{facts[fact]}</span>
      </li>
    ))}
  </ul>
)

/** Sources do not say whether it was sold or is another one: its watchers decide. */
export const Namesakes = ({ namesakes }: Pick<ProductDetail, 'namesakes'>) => (
  <ul className={classes.aliases}>
    {namesakes.map(({ id, vendor, vulns_count, monitored }) => (
      <li key={id}>
        <AppLink to={`/product/${id}`}>
          <ProductLabel name={vendor} />
        </AppLink>{' '}
        <span className={classes.note}>
          {plural(vulns_count, 'vulnerability', 'vulnerabilities')}, {monitored ? 'monitored' : 'not monitored'}
        </span>
      </li>
    ))}
  </ul>
)
