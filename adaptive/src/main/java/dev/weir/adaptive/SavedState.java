package dev.weir.adaptive;

import java.util.Optional;

/**
 * A store in which controls and {@link LearnedCost} save what they have learned, so that the next process restores it.
 * {@code dev.weir.adaptive.state.SavedStateFile} is one in a file. Thread-safe.
 */
public interface SavedState {
    /**
     * The state that an earlier process saved of the limiter of this name, or of the costs with this {@link LearnedCost#savedName()}, aged
     * until now. Does not wait for a disk or a network.
     *
     * @return empty if nothing is saved under this name
     */
    Optional<RestoredState> restored(String name);

    /**
     * Includes this control, and the debt of its limiter, in each save from now on, under the limiter's name. The control calls
     * this as the last step of {@link AdaptiveControl.Builder#build()}; it must not throw.
     */
    void include(AdaptiveControl control);

    /**
     * Includes these costs in each save from now on: what {@link LearnedCost#learned()} returns, under {@link
     * LearnedCost#savedName()}. The costs call this as the last step of {@link LearnedCost.Builder#build()}; it must not throw.
     */
    void include(LearnedCost costs);
}
