import { Anchor, Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SupportName } from '../../../worker/kb/names-contract'
import { AppLink } from '../../ui/app-link'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { EmptyState } from '../../ui/empty-state'
import classes from '../settings.module.css'
import { confirmSupportNameMutation, supportNamesQuery } from './api'

const columns: Column<SupportName>[] = [
  {
    label: 'At endoflife.date',
    inCard: 'lead',
    cell: ({ label, link }) => (
      <Anchor href={link} target="_blank" rel="noreferrer">
        {label}
      </Anchor>
    ),
  },
  { label: 'Product here', inCard: 'wide', cell: (row) => <Products row={row} /> },
]

/** Products of endoflife.date that name no identifier: the operator says what they are here. */
export function SupportNames() {
  const { data, error, refetch } = useQuery(supportNamesQuery)
  const rows = data
    ?.filter(({ confirmed, proposed }) => confirmed.length + proposed.length)
    .toSorted((a, b) => Number(b.proposed.length > 0) - Number(a.proposed.length > 0))
  const nameless = (data?.length ?? 0) - (rows?.length ?? 0)
  return (
    <>
      <p className={`${classes.note} ${classes.above}`}>
        endoflife.date names no identifier of these, and names alone may mean something else. Your confirmation counts
        for every organization.
      </p>
      <DataTable
        label="Names to confirm"
        columns={columns}
        listing={{ rows, error, refetch }}
        expected={5}
        empty={<EmptyState title="No product here has such a name" />}
      />
      {nameless > 0 && <p className={classes.note}>No product here has the name of {nameless} more.</p>}
    </>
  )
}

function Products({ row: { id, label, confirmed, proposed } }: { row: SupportName }) {
  const { isPending, mutate, variables } = useMutation(confirmSupportNameMutation)
  const all = [
    ...confirmed.map((product) => ({ ...product, isConfirmed: true })),
    ...proposed.map((product) => ({ ...product, isConfirmed: false })),
  ]
  return (
    <ul className={classes.reasons}>
      {all.map(({ product_id, vendor, name, release, isConfirmed }) => (
        <li key={product_id}>
          <Group>
            <AppLink to={`/product/${product_id}`}>
              {vendor}:{name}
            </AppLink>
            {release !== null && <span className={classes.note}>is release {release}</span>}
            <Button
              size="compact-xs"
              variant={isConfirmed ? 'subtle' : 'default'}
              loading={isPending && variables.product_id === product_id}
              aria-label={`${isConfirmed ? 'Take back' : 'Confirm'}: ${vendor}:${name} is ${label}`}
              onClick={() => mutate({ id, product_id, release, confirmed: !isConfirmed })}
            >
              {isConfirmed ? 'Take back' : 'Confirm'}
            </Button>
          </Group>
        </li>
      ))}
    </ul>
  )
}
