import { Component, type ReactNode } from "react";
import { ErrorState } from "../ui/States";

/** An error of ours ends in a page that says so, and never in an empty one. */
export class Faults extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={this.state.error} level={1} onRetry={() => location.reload()} />;
  }
}
