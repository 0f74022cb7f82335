import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds documents by the values of one field, of each element where it holds a list. What it finds may be more than
 * what matches, and is never less: documents with a value that it cannot order are always among it, and what would
 * find documents without the field is left to a scan. Its collection's lock guards it.
 */
final class FieldIndex {

    /** Where a value is: {@code value} is one that can be ordered. */
    record Place(Object value, int position) {}

    private static final Comparator<Place> BY_VALUE =
        Comparator.comparing(Place::value, FieldIndex::compare).thenComparingInt(Place::position);

    private final String field;
    private final TreeSet<Place> places = new TreeSet<>(BY_VALUE);
    private final Set<Integer> unordered = new HashSet<>();

    FieldIndex(String field) {
        this.field = field;
    }

    void add(Document document, Integer position) {
        for (Object each : elements(valueIn(document))) {
            Object key = keyOf(each);
            if (key == null) {
                unordered.add(position);
            } else {
                places.add(new Place(key, position));
            }
        }
    }

    void remove(Document document, Integer position) {
        unordered.remove(position);
        for (Object each : elements(valueIn(document))) {
            Object key = keyOf(each);
            if (key != null) {
                places.remove(new Place(key, position));
            }
        }
    }

    void update(Document before, Document after, Integer position) {
        if (!Objects.equals(valueIn(before), valueIn(after))) {
            remove(before, position);
            add(after, position);
        }
    }

    /** The positions where a query's condition on the field may hold, in their order; null when it cannot say. */
    TreeSet<Integer> find(Object condition, boolean withRanges) {
        if (!(condition instanceof Document operators)) {
            return equalTo(List.of(Missing.ofNullable(condition)));
        }
        if (operators.containsKey("$eq")) {
            return equalTo(List.of(Missing.ofNullable(operators.get("$eq"))));
        }
        if (operators.get("$in") instanceof Collection<?> values) {
            return equalTo(values);
        }
        return withRanges ? between(lowest(operators), highest(operators)) : null;
    }

    /** So many places after this one, from the first on after null; only where {@link #isSequence}. */
    List<Place> after(Place last, int number) {
        return (last == null ? places : places.tailSet(last, false)).stream().limit(number).toList();
    }

    /** The place after which a condition may hold; null when that may be all. */
    static Place start(Object condition) {
        Object lowest = condition instanceof Document operators ? lowest(operators) : null;
        return lowest == null ? null : new Place(lowest, -1);
    }

    /** Whether the places are in the order of all values; those of ids, which are no lists, are of all documents. */
    boolean isSequence() {
        boolean isOfOneKind = places.isEmpty() || places.first().value.getClass() == places.last().value.getClass();
        return isOfOneKind && unordered.isEmpty();
    }

    private TreeSet<Integer> equalTo(Collection<?> values) {
        var found = new TreeSet<>(unordered);
        for (Object each : values) {
            Object key = keyOf(each);
            if (key == null) {
                return null;
            }
            collect(new Place(key, -1), new Place(key, Integer.MAX_VALUE), found);
        }
        return found;
    }

    private TreeSet<Integer> between(Object lowest, Object highest) {
        if (lowest == null && highest == null) {
            return null;
        }
        var found = new TreeSet<>(unordered);
        Place first = lowest == null ? null : new Place(lowest, -1);
        Place last = highest == null ? null : new Place(highest, Integer.MAX_VALUE);
        if (first == null || last == null || BY_VALUE.compare(first, last) < 0) {
            collect(first, last, found);
        }
        return found;
    }

    private void collect(Place first, Place last, Set<Integer> found) {
        var some = first == null ? places.headSet(last) : last == null ? places.tailSet(first) : places.subSet(first, last);
        some.forEach(each -> found.add(each.position));
    }

    private Object valueIn(Document document) {
        return Utils.getSubdocumentValueCollectionAware(document, field);
    }

    /** The values that a query for a value or a range may find: none where there is none. */
    private static Collection<?> elements(Object value) {
        if (value instanceof Collection<?> values) {
            return values;
        }
        return Missing.isNullOrMissing(value) ? List.of() : List.of(value);
    }

    private static Object lowest(Document operators) {
        Object exclusive = keyOf(operators.get("$gt"));
        return exclusive != null ? exclusive : keyOf(operators.get("$gte"));
    }

    private static Object highest(Document operators) {
        Object exclusive = keyOf(operators.get("$lt"));
        return exclusive != null ? exclusive : keyOf(operators.get("$lte"));
    }

    /** What a value is ordered by, null for one that cannot be ordered. Numbers of all kinds are compared. */
    private static Object keyOf(Object value) {
        if (value instanceof Integer || value instanceof Long || value instanceof Double) {
            return ((Number) value).doubleValue() + 0.0; // which makes -0.0 a 0.0
        }
        boolean isOrdered = value instanceof String || value instanceof ObjectId || value instanceof Boolean
            || value instanceof Instant;
        return isOrdered ? value : null;
    }

    @SuppressWarnings("unchecked")
    private static int compare(Object one, Object other) {
        if (one.getClass() != other.getClass()) {
            return one.getClass().getName().compareTo(other.getClass().getName());
        }
        return ((Comparable<Object>) one).compareTo(other);
    }
}
