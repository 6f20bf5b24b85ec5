package dev.weir.succession;

import dev.weir.spi.StrategySpec;

/** A specification of which a dial may have set the limit. It equals another only if that has the same limit set. */
public interface DialedSpec extends StrategySpec {
    /** The specification without the limit that was set. */
    StrategySpec undialed();

    /** The limit that was set; 0 = none. */
    long limit();

    /** Any specification without a limit that was set. */
    static StrategySpec undialed(StrategySpec spec) {
        return spec instanceof DialedSpec dialed ? dialed.undialed() : spec;
    }
}
