import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.AbstractCursor;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DocumentWithPosition;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.memory.MemoryCollection;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A collection whose indexes find documents by their first field: the engine's own ones are unique, and find those of
 * a query for all of their fields and no other. Every document found is matched against the whole query.
 */
final class IndexedCollection extends MemoryCollection {

    private static final String ID = "_id";

    private final Map<String, FieldIndex> byField = new HashMap<>();
    private final ThreadLocal<Document> firstMatch = new ThreadLocal<>();
    private int end;

    IndexedCollection(MongoDatabase database, String name, CollectionOptions options, CursorRegistry cursors) {
        super(database, name, options, cursors);
    }

    /** Let the aggregation that follows in this thread read no more than what may match its first stage. */
    void expectMatch(Document query) {
        firstMatch.set(query);
    }

    @Override
    public Stream<Document> queryAllAsStream() {
        Document query = firstMatch.get();
        if (query == null) {
            return super.queryAllAsStream();
        }
        firstMatch.remove();
        return StreamSupport.stream(queryDocuments(query, null, 0, 0, 0, null).spliterator(), false);
    }

    @Override
    protected synchronized QueryResult queryDocuments(
            Document query, Document order, int skip, int limit, int batchSize, Document fields) {
        TreeSet<Integer> found = find(query, false);
        boolean isBatched = limit == 0 ? batchSize > 0 : batchSize == 0 || batchSize >= limit;
        if (found == null && isBatched && skip == 0 && isWalk(order)) {
            return walk(query, fields, limit == 0 ? batchSize : limit, limit == 0);
        }
        found = found == null ? find(query, true) : found;
        if (found == null) {
            return super.queryDocuments(query, order, skip, limit, batchSize, fields);
        }
        Iterable<Integer> positions = isNaturalDescending(order) ? found.descendingSet() : found;
        return matchDocuments(query, positions, order, skip, limit, batchSize, fields);
    }

    /** The positions of what may match, null when no index says so. */
    private TreeSet<Integer> find(Document query, boolean withRanges) {
        TreeSet<Integer> found = query.containsKey(ID) ? find(ID, query.get(ID), withRanges) : null;
        for (String name : query.keySet()) {
            found = found == null ? find(name, query.get(name), withRanges) : found;
        }
        return found;
    }

    private TreeSet<Integer> find(String name, Object condition, boolean withRanges) {
        if (byField.containsKey(name)) {
            return byField.get(name).find(condition, withRanges);
        }
        if (!(condition instanceof Collection<?> parts && (name.equals("$and") || name.equals("$or")))) {
            return null;
        }
        TreeSet<Integer> all = new TreeSet<>();
        for (Object part : parts) {
            TreeSet<Integer> found = part instanceof Document query ? find(query, withRanges) : null;
            if (name.equals("$and") == (found != null)) {
                return found; // one condition of all is enough, but every alternative has to be found
            }
            all.addAll(found == null ? Set.of() : found);
        }
        return name.equals("$or") ? all : null;
    }

    private boolean isWalk(Document order) {
        boolean isById = order != null && order.size() == 1 && order.get(ID) instanceof Number way && way.intValue() == 1;
        return isById && byField.containsKey(ID) && byField.get(ID).isSequence();
    }

    private QueryResult walk(Document query, Document fields, int number, boolean isContinued) {
        var walk = new Walk(query, fields);
        List<Document> found = walk.takeDocuments(number);
        if (walk.isOver || !isContinued) {
            return new QueryResult(found);
        }
        cursorRegistry.add(walk);
        return new QueryResult(found, walk);
    }

    @Override
    public synchronized void addIndex(Index<Integer> index) {
        super.addIndex(index);
        byField.computeIfAbsent(firstFieldOf(index), field -> {
            var added = new FieldIndex(field);
            streamAllDocumentsWithPosition().forEach(each -> added.add(each.getDocument(), each.getPosition()));
            return added;
        });
    }

    @Override
    public synchronized void dropIndex(String name) {
        super.dropIndex(name);
        byField.keySet().retainAll(getIndexes().stream().map(IndexedCollection::firstFieldOf).collect(Collectors.toSet()));
    }

    private static String firstFieldOf(Index<Integer> index) {
        return index.getKeys().get(0).getKey();
    }

    @Override
    protected Integer addDocumentInternal(Document document) {
        Integer position = super.addDocumentInternal(document);
        end = Math.max(end, position + 1);
        byField.values().forEach(index -> index.add(document, position));
        return position;
    }

    @Override
    protected void handleUpdate(Integer position, Document before, Document after) {
        super.handleUpdate(position, before, after);
        byField.values().forEach(index -> index.update(before, after, position));
    }

    @Override
    protected void removeDocument(Integer position) {
        byField.values().forEach(index -> index.remove(getDocument(position), position));
        super.removeDocument(position);
    }

    /** As the engine does it, which for each document looks through all positions that are empty. */
    @Override
    protected Stream<DocumentWithPosition<Integer>> streamAllDocumentsWithPosition() {
        return IntStream.range(0, end).filter(position -> getDocument(position) != null)
            .mapToObj(position -> new DocumentWithPosition<>(getDocument(position), position));
    }

    @Override
    public synchronized int count(Document query, int skip, int limit) {
        return super.count(query, skip, limit);
    }

    /** A cursor through the collection by id: it looks for a batch when it is asked for it, as MongoDB does. */
    private final class Walk extends AbstractCursor {

        private final Document query;
        private final Document fields;
        private FieldIndex.Place last;
        private volatile boolean isOver;

        Walk(Document query, Document fields) {
            super(cursorRegistry.generateCursorId());
            this.query = query;
            this.fields = fields;
            this.last = FieldIndex.start(query.get(ID));
        }

        @Override
        public boolean isEmpty() {
            return isOver;
        }

        @Override
        public List<Document> takeDocuments(int number) {
            synchronized (IndexedCollection.this) {
                var taken = new ArrayList<Document>();
                while (!isOver && taken.size() < number) {
                    int left = number - taken.size();
                    List<FieldIndex.Place> next = byField.get(ID).after(last, left);
                    isOver = next.size() < left;
                    last = next.isEmpty() ? last : next.get(next.size() - 1);
                    List<Integer> positions = next.stream().map(FieldIndex.Place::position).toList();
                    matchDocuments(query, positions, null, 0, 0, 0, fields).forEach(taken::add);
                }
                return taken;
            }
        }
    }
}
