import { useMutation, useQuery } from '@tanstack/react-query'
import { FailedLine } from '../ui/failed-line'
import { ExposureSelect } from '../watchlist/exposure-select'
import { exposedGroupsQuery, exposeMutation } from './api'

export function GroupExposure({ label }: { label: string }) {
  const known = useQuery(exposedGroupsQuery)
  const { isPending, mutate } = useMutation(exposeMutation)
  const said = known.data?.find((group) => group.label === label)?.publicly_exposed ?? null
  return (
    <>
      <FailedLine text="The exposure of the group could not be loaded." query={known} />
      <ExposureSelect
        label={`Is ${label} publicly exposed?`}
        description="It holds for all items of the group that say nothing themselves. Due dates follow."
        value={said}
        disabled={!known.data || isPending}
        onChange={(publicly_exposed) => mutate({ kind: 'group', label, publicly_exposed })}
      />
    </>
  )
}
