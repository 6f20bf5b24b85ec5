package dev.weir.spi;

import dev.weir.Permit;
import dev.weir.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit as code at the edges reads it, such as fields of a response: its name, what it is, and what is left of it. A limiter in
 * this process, a name of a registry, and a limit that a store counts are all such. Thread-safe; no method blocks.
 */
public interface LimitView {
    /** The name, as it appears in rejections and metrics. */
    String name();

    /** The specification last put in force. */
    StrategySpec spec();

    /**
     * The limit, what is left of it, its window and its reset for this request, without spending anything and without waiting. By
     * default not known.
     *
     * @return null if it is not known
     */
    default Permit.@Nullable Quota quota(Request request) {
        return null;
    }

    /**
     * The limits that a request must pass, each with the name that its rejections have: this one, or those of several names at
     * once.
     */
    default List<? extends LimitView> limits() {
        return List.of(this);
    }
}
