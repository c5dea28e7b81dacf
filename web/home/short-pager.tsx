import { Group, Pagination, Text } from '@mantine/core'

type Props = { of: string; page: number; rows: number; count: number | undefined; onChange: (page: number) => void }

export function ShortPager({ of, page, rows, count, onChange }: Props) {
  if (count === undefined) return <Group mih={26} />
  if (count <= rows) return null
  const first = (page - 1) * rows + 1
  return (
    <Group justify="space-between" component="nav" aria-label={`Pages of ${of}`}>
      <Text size="sm" c="dimmed" role="status">
        {first}–{Math.min(first + rows - 1, count)} of {count}
      </Text>
      <Pagination
        size="sm"
        value={page}
        total={Math.ceil(count / rows)}
        onChange={onChange}
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
      />
    </Group>
  )
}
