import { productLabel, rawProduct, readableName } from '../../worker/domain/names/product'

/** The name in words; the sources' own name shows when it is pointed at. */
export const ProductLabel = ({ name, vendor }: { name: string; vendor?: string }) => (
  <span title={vendor === undefined ? name : rawProduct(vendor, name)}>
    {vendor === undefined ? readableName(name) : productLabel(vendor, name)}
  </span>
)
