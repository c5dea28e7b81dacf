import { isRenamed, readableName } from '../../worker/domain/names/product'
import classes from './product-name.module.css'

/** The name in words, and beside it the sources' own name where that differs. */
export const ProductLabel = ({ name, vendor }: { name: string; vendor?: string }) => (
  <>
    {vendor !== undefined && `${readableName(vendor)} · `}
    {readableName(name)}
    {isRenamed(name) && <span className={classes.raw}> {name}</span>}
  </>
)
