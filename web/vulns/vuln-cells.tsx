import { Link } from 'react-router-dom'
import { IconBug, IconFlame, IconLockOpen, IconNews, IconWorld, type Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { VulnRow } from '../../worker/vulns/contract'
import { famousNames } from '../../worker/domain/names/famous'
import { splitTitle } from '../../worker/domain/words/plain-text'
import { productLabel, rawProduct, readableName } from '../../worker/domain/names/product'
import { AppLink } from '../ui/app-link'
import { RunVerdictMark } from '../ui/run-verdict-mark'
import { StateMark } from '../ui/state-mark'
import classes from './vuln-cells.module.css'
import productChipsClasses from '../ui/product-chips.module.css'
import { plural } from '../lib/format'

/** `end` follows the names, where there are any. */
export function FamousNames({ cveid, end = '' }: { cveid: string | null; end?: string }) {
  const names = famousNames(cveid)
  return (
    names.length > 0 && (
      <span className={classes.famous}>
        {names.join(', ')}
        {end}
      </span>
    )
  )
}

type Props = { vuln: VulnRow; isCompact?: boolean }

export function VulnIdentity({ vuln: { id, cveid, known_as, state, run_verdict }, isCompact = false }: Props) {
  return (
    <div className={classes.identity}>
      <AppLink
        to={`/vulns/${id}`}
        fw={600}
        underline="hover"
        className={state === 'rejected' ? classes.rejected : undefined}
      >
        {known_as}
      </AppLink>
      <span className={isCompact ? classes.beneath : classes.below}>
        <FamousNames cveid={cveid} />
        <StateMark state={state} />
        {known_as !== `PH-${id}` && <span className={classes.ph}>PH-{id}</span>}
      </span>
      {!isCompact && <RunVerdictMark verdict={run_verdict} />}
    </div>
  )
}

export function VulnSummary({ vuln, isCompact = false }: Props) {
  const { state, products, product_count, run_verdict } = vuln
  const { title, rest } = splitTitle(vuln)
  return (
    <div className={classes.stack} data-compact={isCompact || undefined}>
      <p className={`${classes.summary} ${state === 'rejected' ? classes.rejected : ''}`}>
        {title && <span className={classes.title}>{title}</span>}
        {title && rest && ' – '}
        {rest || (title ? null : state === 'awaiting' ? 'No record yet' : 'No summary')}
      </p>
      <div className={classes.concerned}>
        {isCompact && <RunVerdictMark verdict={run_verdict} />}
        <ProductChips
          products={products}
          count={product_count}
          inLine={isCompact ? (run_verdict ? 1 : 2) : undefined}
        />
      </div>
    </div>
  )
}

type Product = { id: number; vendor: string; name: string }
/** `inLine`: show this many on one line. */
type ProductChipsProps = { products: Product[]; count: number; inLine?: number }

const maxChips = 5

/** At most five products, then a plus sign (S2 §2). */
function ProductChips({ products, count, inLine }: ProductChipsProps) {
  if (count === 0) return null
  const visible = products.slice(0, inLine ?? maxChips)
  const hidden = count - visible.length
  const isShared = (name: string) => visible.filter((it) => readableName(it.name) === readableName(name)).length > 1
  return (
    <ul className={productChipsClasses.chips} data-line={inLine !== undefined || undefined} aria-label="Products">
      {visible.map(({ id, vendor, name }) => (
        <li key={id}>
          <Link className={productChipsClasses.chip} to={`/product/${id}`} title={rawProduct(vendor, name)}>
            {isShared(name) ? productLabel(vendor, name) : readableName(name)}
          </Link>
        </li>
      ))}
      {hidden > 0 && (
        <li className={productChipsClasses.chip} title={`${hidden} more`}>
          <span>+</span>
          <span>{hidden}</span>
        </li>
      )}
    </ul>
  )
}

type MetadataProps = { vuln: Pick<VulnRow, 'exploit_count' | 'access' | 'is_in_the_news' | 'is_in_the_wild'> }

export function MetadataIcons({ vuln: { exploit_count, access, is_in_the_news, is_in_the_wild } }: MetadataProps) {
  const facts = [
    { isTrue: access.vector === 'NETWORK', text: 'Remotely exploitable', icon: IconWorld },
    { isTrue: access.authentication === 'NONE', text: 'No authentication required', icon: IconLockOpen },
    { isTrue: is_in_the_wild, text: 'Exploited in the wild', icon: IconFlame, className: classes.hot },
    { isTrue: is_in_the_news, text: 'In the news', icon: IconNews, className: classes.hot },
  ]
  const exploits = plural(exploit_count, 'exploit')
  return (
    <ul className={classes.icons}>
      <MetadataFact text={exploits} icon={IconBug} className={exploit_count > 0 ? classes.hot : classes.none}>
        {exploit_count}
      </MetadataFact>
      {facts.map(({ isTrue, ...fact }) => isTrue && <MetadataFact key={fact.text} {...fact} />)}
    </ul>
  )
}

type FactProps = { text: string; icon: Icon; className?: string | undefined; children?: ReactNode }

const MetadataFact = ({ text, icon: Picture, className = '', children }: FactProps) => (
  <li>
    <span role="img" aria-label={text} title={text} className={`${classes.fact} ${className}`}>
      <Picture size={17} aria-hidden />
      {children}
    </span>
  </li>
)
