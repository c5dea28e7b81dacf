import { Text } from '@mantine/core'
import { Fragment } from 'react'
import type { ProductRow } from '../../../worker/kb/contract'
import { AppLink } from '../../ui/app-link'
import { ProductLabel } from '../../ui/product-name'
import { Step } from './step'

type Props = { products: ProductRow[]; onBack: () => void; onClose: () => void }

export function FinishStep({ products, onBack, onClose }: Props) {
  return (
    <Step title="You are set" onSubmit={onClose} submit="Close" onBack={onBack}>
      <Text size="sm">
        {products.length === 0 && 'You chose no product here. You can do so at any time.'}
        {products.map(({ id, vendor, name }, at) => (
          <Fragment key={id}>
            {at === 0 ? 'You now monitor ' : ', '}
            <ProductLabel vendor={vendor} name={name} />
          </Fragment>
        ))}
        {products.length > 0 && '.'}
      </Text>
      <Text size="sm">
        Continue with <AppLink to="/products">more products</AppLink>, or read{' '}
        <AppLink to="/help">how it works</AppLink>.
      </Text>
    </Step>
  )
}
