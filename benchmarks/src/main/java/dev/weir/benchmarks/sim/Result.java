package dev.weir.benchmarks.sim;

/**
 * The result of one algorithm in one scenario.
 *
 * @param goodputRatio its goodput to the oracle's, &gt;= 0
 * @param p99Ratio the 99th percentile of what it admitted to that of the same requests alone; NaN if it admitted none
 * @param p50Ratio the same of the median
 * @param refused which share of the attempts it sent away
 * @param beside the goodput of the short calls, to what it is without those that hold no worker; NaN if there are none
 * @param recovery the seconds until the goodput was back after what was refused below; NaN if nothing was
 * @param steadiness of the limits; not known if the scenario has no fleet
 */
record Result(
        String scenario,
        long seed,
        String algorithm,
        double goodputRatio,
        double p99Ratio,
        double p50Ratio,
        double refused,
        double beside,
        double recovery,
        Steadiness steadiness) {
    Result {
        if (!(goodputRatio >= 0 && goodputRatio < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("goodputRatio must be finite and >= 0, was " + goodputRatio);
        }
    }

    double inFlight() {
        return steadiness.inFlight();
    }

    double drift() {
        return steadiness.drift();
    }

    double moves() {
        return steadiness.moves();
    }
}
