package dev.weir.store.state;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a state: {@code 'W'}, the version, the code of the rule and how many rates it has, the parameters, the numbers and the
 * elements. Each of them is a whole number from 0 to 2^52 as a double, big-endian, because that is what a script of Redis computes with.
 */
final class StateBytes {
    static final int MAX_RATES = 8;

    private static final int HEAD = 4;
    private static final byte MAGIC = 'W';
    private static final byte VERSION = 2;
    private static final int SHORT = 2;
    private static final long[] NONE = {};

    private StateBytes() {}

    /** The bytes before the numbers, which are the same in each state of a rate. */
    static byte[] head(StateRule rule, long... parameters) {
        int rates = rule == StateRule.EVEN ? parameters.length / rule.parameters : 0;
        ByteBuffer head = ByteBuffer.allocate(HEAD + parameters.length * Double.BYTES)
                .put(MAGIC)
                .put(VERSION)
                .put((byte) rule.code())
                .put((byte) rates);
        return put(head, parameters).array();
    }

    private static ByteBuffer put(ByteBuffer buffer, long... numbers) {
        for (long number : numbers) {
            buffer.putDouble((double) number);
        }
        return buffer;
    }

    static byte[] state(byte[] head, long[] numbers, long[] elements) {
        int size = head.length + (numbers.length + elements.length) * Double.BYTES;
        return put(put(ByteBuffer.allocate(size).put(head), numbers), elements).array();
    }

    /** Null if the bytes are no state. */
    static @Nullable State read(byte[] bytes) {
        int longs = (bytes.length - HEAD) / Double.BYTES;
        if (bytes.length < HEAD
                || (bytes.length - HEAD) % Double.BYTES != 0
                || bytes[0] != MAGIC
                || bytes[1] != VERSION) {
            return null;
        }
        StateRule rule = StateRule.of(bytes[2]);
        int rates = bytes[3];
        if (rule == null || (rule == StateRule.EVEN ? rates < 1 || rates > MAX_RATES : rates != 0)) {
            return null;
        }
        int parameters = rule == StateRule.EVEN ? rates * rule.parameters : rule.parameters;
        int numbers = rule == StateRule.EVEN ? rates * rule.numbers + 1 : rule.numbers;
        if (rates == 1 && longs == parameters + SHORT) {
            numbers = SHORT;
        }
        int more = longs - parameters - numbers;
        boolean fits = rule.element == 0 ? more == 0 : more >= 0 && more % rule.element == 0;
        return fits ? read(rule, ByteBuffer.wrap(bytes, HEAD, longs * Double.BYTES), parameters, numbers) : null;
    }

    private static @Nullable State read(StateRule rule, ByteBuffer buffer, int parameters, int numbers) {
        long[] rate = longs(buffer, parameters);
        long[] counted = longs(buffer, numbers);
        long[] elements = longs(buffer, buffer.remaining() / Double.BYTES);
        if (rate == null || counted == null || elements == null) {
            return null;
        }
        for (int i = 0; i < parameters; i += rule.parameters) {
            if (rate[i + State.LEAK] < 1 || rate[i + State.COST] < 1) {
                return null;
            }
        }
        if (!rising(elements, rule.element) || (rule == StateRule.LOG && !addUp(elements))) {
            return null;
        }
        if (numbers == SHORT) {
            counted = new long[] {counted[0], counted[1], 0, counted[1]};
        }
        return new State(rule, rate, counted, elements);
    }

    /** Null if one is not a whole number from 0 to 2^52. */
    private static long @Nullable [] longs(ByteBuffer buffer, int count) {
        if (count == 0) {
            return NONE;
        }
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) {
            double number = buffer.getDouble();
            numbers[i] = (long) number;
            if ((double) numbers[i] != number || numbers[i] < 0 || numbers[i] > Units.MOST) {
                return null;
            }
        }
        return numbers;
    }

    /** True if each element is after the one before by its first long. */
    private static boolean rising(long[] elements, int size) {
        for (int i = size; i < elements.length; i += size) {
            if (elements[i] <= elements[i - size]) {
                return false;
            }
        }
        return true;
    }

    /** True if the totals of the entries of a log are at least the sums of their permits. */
    private static boolean addUp(long[] entries) {
        long before = 0;
        for (int i = 0; i < entries.length; i += StateRule.LOG.element) {
            long own = entries[i + 2];
            if (own < 1 || entries[i + 1] - own < before) {
                return false;
            }
            before = entries[i + 1];
        }
        return true;
    }
}
