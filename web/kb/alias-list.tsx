import type { ProductDetail } from '../../worker/kb/contract'
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
