import type { ProductDetail } from '../../worker/kb/contract'
import { plural } from '../lib/format'
import { AppLink } from '../ui/app-link'
import { Fact } from '../ui/facts'
import { ProductLabel } from '../ui/product-name'
import classes from './kb.module.css'

const facts = { cve: 'in CVE records', kev: 'in CISA’s KEV', cpe: 'once in the CPE dictionary' }

export const AliasList = ({ aliases = [] }: Partial<Pick<ProductDetail, 'aliases'>>) =>
  aliases.length > 0 && (
    <Fact label="Also written">
      <ul className={classes.aliases}>
        {aliases.map(({ name, fact }) => (
          <li key={name}>
            {name} <span className={classes.note}>{facts[fact]}</span>
          </li>
        ))}
      </ul>
    </Fact>
  )

/** Sources do not say whether it was sold or is another one: its watchers decide. */
export const Namesakes = ({ namesakes = [] }: Partial<Pick<ProductDetail, 'namesakes'>>) =>
  namesakes.length > 0 && (
    <Fact label="Same name at">
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
    </Fact>
  )
