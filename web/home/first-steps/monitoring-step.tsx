import { Text, ActionIcon, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ProductRow } from '../../../worker/kb/contract'
import { setProductsMutation } from '../api'
import { ProductSearch } from './product-search'
import { Step } from './step'
import { IconX } from '@tabler/icons-react'
import { productLabel } from '../../../worker/domain/names/product'
import { ProductLabel } from '../../ui/product-name'
import classes from './first-steps.module.css'

export const maxProducts = 3

/** `saved` is what the server already has, so that a later choice can undo it. */
export type Chosen = { products: ProductRow[]; saved: ProductRow[] }

type Props = { chosen: Chosen; onChoose: (chosen: Chosen) => void; onNext: () => void; onBack: () => void }

export function MonitoringStep({ chosen, onChoose, onNext, onBack }: Props) {
  const saving = useMutation(setProductsMutation)
  const { products, saved } = chosen

  const toggle = (product: ProductRow) => {
    const others = without([product], products)
    onChoose({ ...chosen, products: others.length < products.length ? others : [...products, product] })
  }
  const save = () => {
    const [watched, unwatched] = [without(saved, products), without(products, saved)]
    if (watched.length + unwatched.length === 0) return onNext()
    saving.mutate(
      { watched, unwatched },
      {
        onSuccess: () => {
          onChoose({ products, saved: products })
          onNext()
        },
      },
    )
  }
  return (
    <Step title="What do you run?" onSubmit={save} onBack={onBack} isSaving={saving.isPending}>
      <Text size="sm">Choose up to {maxProducts} products. You can add any number later.</Text>
      <ProductSearch chosen={products} isFull={products.length >= maxProducts} onToggle={toggle} />
      <ChosenProducts products={products} max={maxProducts} onRemove={toggle} />
    </Step>
  )
}

const without = (removed: ProductRow[], products: ProductRow[]) =>
  products.filter(({ id }) => removed.every((product) => product.id !== id))

type ChosenProductsProps = { products: ProductRow[]; max: number; onRemove: (product: ProductRow) => void }

function ChosenProducts({ products, max, onRemove }: ChosenProductsProps) {
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
