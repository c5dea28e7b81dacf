import { isRenamed, readableName } from '../../worker/domain/product'
import classes from './product-name.module.css'

/** A product or vendor in words, with the name that the sources use beside it where that says it otherwise. */
export const ProductName = ({ name, vendor }: { name: string; vendor?: string }) => (
  <>
    {vendor !== undefined && `${readableName(vendor)} · `}
    {readableName(name)}
    {isRenamed(name) && <span className={classes.raw}> {name}</span>}
  </>
)
