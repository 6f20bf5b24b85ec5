package dev.weir.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Copies of immutable lists with one change. */
final class ImmutableLists {
    private ImmutableLists() {}

    static <T> List<T> with(List<T> list, T added) {
        return Stream.concat(list.stream(), Stream.of(added)).toList();
    }

    static <T> List<T> without(List<T> list, T removed) {
        List<T> rest = new ArrayList<>(list);
        rest.remove(removed);
        return List.copyOf(rest);
    }
}
