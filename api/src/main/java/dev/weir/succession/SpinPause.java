package dev.weir.succession;

/** The pauses of a request whose CAS on a word that counts has failed. */
public final class SpinPause {
    /*
     * Threads that try again at once lose to each other in turn, and the word moves from processor to processor for each permit.
     * While one pauses, another finds the word where it left it:
     *
     *     one                              another
     *     reads w
     *                                      CAS w -> w + 1
     *     CAS fails; pauses                CAS, CAS, CAS: a hundred permits
     *     reads w; CAS
     *
     * A thread that pauses holds nothing, so nobody waits for it. It pauses half as often after each further loss: a request that
     * loses again and again pauses less than those that it loses to, and 510 times in all before it is down to one. A pause is
     * that of the processor and takes 3 to 45 ns; nothing is parked. A thread that is alone loses no CAS, so it never pauses.
     */

    /** The number of pauses after the first loss of a request. */
    public static final int FIRST = 256;

    private SpinPause() {}

    /** Pauses this many times. Returns the number of pauses after the next loss of the same request, at least 1. */
    public static int pause(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
        return Math.max(1, times / 2);
    }
}
