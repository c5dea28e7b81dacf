import { ActionIcon, Group, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { productLabel } from '../../../worker/domain/product'
import { ProductLabel } from '../../ui/product-name'
import type { ProductRow } from '../../../worker/kb/contract'
import classes from './first-steps.module.css'

type Props = { products: ProductRow[]; max: number; onRemove: (product: ProductRow) => void }

export function ChosenProducts({ products, max, onRemove }: Props) {
  return (
    <div>
      <Text size="sm" fw={600} role="status" mb={6}>
        {products.length} of {max} chosen
      </Text>
      <Group gap={6} component="ul" m={0} p={0} className={classes.chosen} aria-label="Chosen products">
        {products.map((product) => (
          <li key={product.id}>
            <ProductLabel vendor={product.vendor} name={product.name} />
            <ActionIcon
              size={24}
              variant="subtle"
              color="gray"
              aria-label={`Remove ${productLabel(product.vendor, product.name)}`}
              onClick={() => onRemove(product)}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </Group>
    </div>
  )
}
