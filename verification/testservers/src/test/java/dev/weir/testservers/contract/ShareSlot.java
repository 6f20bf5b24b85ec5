package dev.weir.testservers.contract;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The share that one process enforces, in a file that all processes map. Written by that process, and by the parent while there is none. */
final class ShareSlot {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int BYTES = 64;
    private static final int SHARE = 0;
    private static final int UNTIL = 8;
    private static final int CHANGES = 16;
    private static final int MEMBER = 24;
    private static final int LATE = 32;

    private final MappedByteBuffer file;
    private final int start;

    private ShareSlot(MappedByteBuffer file, int start) {
        this.file = file;
        this.start = start;
    }

    static ShareSlot of(Path path, int index) throws IOException {
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            int start = index * BYTES;
            return new ShareSlot(channel.map(FileChannel.MapMode.READ_WRITE, 0, start + BYTES), start);
        }
    }

    private long at(int field) {
        return (long) LONGS.getVolatile(file, start + field);
    }

    private void set(int field, long value) {
        LONGS.setVolatile(file, start + field, value);
        long unused = (long) LONGS.getAndAdd(file, start + CHANGES, 1L);
    }

    /** The share that it enforces until that instant. */
    long share() {
        return at(SHARE);
    }

    void share(long share) {
        set(SHARE, share);
    }

    /** The reading of the clock, which all processes of a machine share, until which the registry keeps the instance a member. */
    long until() {
        return at(UNTIL);
    }

    void until(long until) {
        set(UNTIL, until);
    }

    /** The number of writes to any of it. */
    long changes() {
        return at(CHANGES);
    }

    boolean isMember() {
        return at(MEMBER) != 0;
    }

    void member(boolean is) {
        set(MEMBER, is ? 1 : 0);
    }

    /** The number of times that more than the degraded share was enforced after the instant. */
    long late() {
        return at(LATE);
    }

    void countLate() {
        set(LATE, late() + 1);
    }
}
