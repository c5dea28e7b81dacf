import classes from './inventories.module.css'

export const DependencyPath = ({ path }: { path: string[] }) =>
  path.length ? <div className={classes.path}>Needed by {path.join(' › ')}</div> : null
