package dev.weir.succession;

import dev.weir.spi.StrategySpec;

/** A specification of which a dial may have set the limit. It equals another only if that has the same limit set. */
public interface DialedSpec extends PartSpec {
    /** The specification without the limit that was set. */
    StrategySpec undialed();
}
