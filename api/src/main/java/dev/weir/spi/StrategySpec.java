package dev.weir.spi;

import dev.weir.Ticker;
import java.util.List;

/**
 * An immutable, validated description of a {@link Strategy}: a record for each algorithm, compared by value. Only {@link
 * #create} must be implemented; {@link #adjust} is worth it, so that a change of the figures keeps the running strategy.
 */
public interface StrategySpec {
    /**
     * Creates a strategy that has granted nothing: another one each time. It is called for each key, and also to read figures, so it
     * has no other effect.
     */
    Strategy create(Ticker ticker);

    /**
     * Adjusts a running strategy to this specification, if it can keep everything that it has granted. Requests and releases
     * may come at the same time. Must not block. If another part of a change fails, it is called with the specification before, to
     * take this back.
     *
     * @return false if it cannot be adjusted; it is unchanged then, and a new strategy replaces it
     */
    default boolean adjust(Strategy running) {
        return false;
    }

    /**
     * The specifications that this one consists of, each of which must grant a request; by default itself. Only the specifications
     * of Weir have several.
     */
    default List<StrategySpec> parts() {
        return List.of(this);
    }
}
