package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.VirtualTime;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Throttling, pressure and collections, with numbers worked by hand. */
class KernelSignalsTest {
    @TempDir
    Path root;

    private Tree stat(long periods, long throttled) {
        return new Tree(root)
                .file(
                        "sys/fs/cgroup/app/cpu.stat",
                        "usage_usec 5\nnr_periods " + periods + "\nnr_throttled " + throttled + "\nthrottled_usec 9\n");
    }

    @Test
    void theShareOfThrottledPeriodsSinceTheLastReading() {
        new Tree(root).unified("/app").file("sys/fs/cgroup/app/cpu.max", "50000 100000");
        stat(100, 50);
        ThrottledSignal throttled = new ThrottledSignal(root);
        assertTrue(Double.isNaN(throttled.read()));
        stat(110, 53);
        assertEquals(0.3, throttled.read(), 1e-12);
        stat(110, 53);
        assertEquals(0, throttled.read(), "it did nothing");
        stat(20, 1);
        assertTrue(Double.isNaN(throttled.read()), "counting starts over");
        stat(25, 6);
        assertEquals(1, throttled.read(), 1e-12);
        assertEquals("cgroup v2 cpu.stat", throttled.source().name());
    }

    @Test
    void versionOneTellsOfThrottlingWithTheQuota() {
        Tree tree = new Tree(root)
                .split("/app", "/", "/")
                .file("sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "50000")
                .file("sys/fs/cgroup/cpu/app/cpu.cfs_period_us", "100000")
                .file("sys/fs/cgroup/cpu/app/cpu.stat", "nr_periods 4\nnr_throttled 0\nthrottled_time 0\n");
        ThrottledSignal throttled = new ThrottledSignal(root);
        throttled.read();
        tree.file("sys/fs/cgroup/cpu/app/cpu.stat", "nr_periods 8\nnr_throttled 1\nthrottled_time 77\n");
        assertEquals(0.25, throttled.read(), 1e-12);
    }

    @Test
    void withoutAQuotaThereIsNoThrottling() {
        new Tree(root).unified("/app").file("sys/fs/cgroup/app/cpu.max", "max 100000");
        stat(100, 50);
        ThrottledSignal throttled = new ThrottledSignal(root);
        throttled.read();
        assertTrue(Double.isNaN(throttled.read()));
        assertEquals(SignalSource.NONE, throttled.source());
    }

    @Test
    void pressureIsAShare() {
        PressureSignal pressure = new PressureSignal(root);
        assertTrue(Double.isNaN(pressure.read()), "not there");
        Tree tree = new Tree(root);
        tree.file("proc/pressure/cpu", "some avg10=12.50 avg60=1.00 avg300=0.10 total=99\nfull avg10=0.00 avg60=0\n");
        assertEquals(0.125, pressure.read(), 1e-12);
        assertEquals("host pressure", pressure.source().name());
        for (String garbage :
                new String[] {"", "some", "some avg10=", "some avg10=x y", "some avg10=-1 a", "some avg10=101 a"}) {
            tree.file("proc/pressure/cpu", garbage);
            assertTrue(Double.isNaN(pressure.read()), garbage);
        }
        assertEquals(SignalSource.NONE, pressure.source());
    }

    @Test
    void collectionsAreAShareOfTheTime() {
        VirtualTime time = new VirtualTime();
        AtomicLong millis = new AtomicLong(40);
        GcSignal gc = new GcSignal(time, millis::get);
        assertTrue(Double.isNaN(gc.read()));
        millis.set(140);
        time.advance(500_000_000);
        assertEquals(0.2, gc.read(), 1e-12);
        millis.set(1000);
        time.advance(500_000_000);
        assertEquals(1, gc.read(), "parallel pauses never make more than all");
        millis.set(-1);
        time.advance(500_000_000);
        assertTrue(Double.isNaN(gc.read()), "no collector tells");
    }

    @Test
    void thisProcessHasCollectors() {
        VirtualTime time = new VirtualTime();
        GcSignal gc = new GcSignal(time);
        gc.read();
        System.gc();
        time.advance(500_000_000);
        double share = gc.read();
        assertTrue(share >= 0 && share <= 1, "share was " + share);
    }

    @Test
    void theHostKeepsItsLastLoadWhenTheTicksAreOld() {
        Host host = new Host();
        long[] start = {100, 0, 50, 800, 50, 0, 0, 0};
        assertTrue(Double.isNaN(host.between(start)));
        long[] later = {160, 0, 70, 815, 55, 0, 0, 0};
        assertEquals(0.8, host.between(later), 1e-12, "80 of 100 ticks neither idle nor waiting");
        assertEquals(0.8, host.between(later), 1e-12, "no new ticks are no idleness");
    }
}
